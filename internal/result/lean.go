package result

import "bytes"

// WithoutSeries returns the JSON of a result with null in place of its series, observations and specification, which are most of its
// text: what remains is read many times faster. The totals of phases and operations remain. Text that is not JSON is
// returned unchanged, so that a decoder reports the mistake.
func WithoutSeries(text []byte) []byte {
	out := make([]byte, 0, len(text)/4)
	copied := 0 // text up to here is in out, or was left out
	for i := 0; i < len(text); {
		if text[i] != '"' {
			next := bytes.IndexByte(text[i:], '"')
			if next < 0 {
				break
			}
			i += next
		}
		end := stringEnd(text, i)
		if end < 0 {
			return text
		}
		key := text[i+1 : end-1]
		i = end
		if !bulky(key) {
			continue
		}
		from := skipSpace(text, i)
		if from == len(text) || text[from] != ':' {
			continue // a value
		}
		from = skipSpace(text, from+1)
		to := containerEnd(text, from)
		if to < 0 {
			return text
		}
		if to == from {
			continue // neither an array nor an object
		}
		out = append(append(out, text[copied:from]...), "null"...)
		copied, i = to, to
	}
	return append(out, text[copied:]...)
}

func bulky(key []byte) bool {
	switch string(key) {
	case "series", "observations", "spec":
		return true
	}
	return false
}

// stringEnd returns the index behind the string that begins at i; -1 if it has no end.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
		i++
	}
	return i
}

// containerEnd returns the index behind the array or object that begins at i; i if there is none, -1 if it has no end.
func containerEnd(text []byte, i int) int {
	if i == len(text) || text[i] != '[' && text[i] != '{' {
		return i
	}
	depth := 0
	for i < len(text) {
		switch text[i] {
		case '"':
			if i = stringEnd(text, i); i < 0 {
				return -1
			}
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}
