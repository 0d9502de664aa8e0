package postgres

// The OIDs of types in arrays.
const (
	textType  = 25
	jsonbType = 3802
)

// appendArray appends an array of texts in binary form: every step-th of the values, from the one at first.
func appendArray(dst []byte, values [][]byte, first, step int) []byte {
	n := 0
	if first < len(values) {
		n = (len(values) - first + step - 1) / step
	}
	dst = appendHead(dst, textType, n)
	for i := first; i < len(values); i += step {
		dst = append(appendUint32(dst, len(values[i])), values[i]...)
	}
	return dst
}

// appendHead appends the head of an array with one dimension.
func appendHead(dst []byte, kind, n int) []byte {
	dst = appendUint32(dst, 1)
	dst = appendUint32(dst, 0) // without NULL
	dst = appendUint32(dst, kind)
	dst = appendUint32(dst, n)
	return appendUint32(dst, 1) // the first index
}

// appendDocuments appends an array of documents in binary form. Row r's value of field f is values[r*len(fields)+f].
func appendDocuments(dst []byte, fields, values [][]byte, rows int) []byte {
	dst = appendHead(dst, jsonbType, rows)
	for r := range rows {
		at := len(dst)
		dst = append(dst, 0, 0, 0, 0, 1) // the length, and the version of jsonb's form
		dst = appendDocument(dst, fields, values[r*len(fields):])
		putUint32(dst[at:], len(dst)-at-4)
	}
	return dst
}

// appendDocument appends a JSON object of texts.
func appendDocument(dst []byte, fields, values [][]byte) []byte {
	dst = append(dst, '{')
	for i, field := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, field), ':')
		dst = appendText(dst, values[i])
	}
	return append(dst, '}')
}

// appendText appends a JSON string.
func appendText(dst, text []byte) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	plain := 0 // where the bytes begin that are not appended yet
	for i, b := range text {
		if b >= ' ' && b != '"' && b != '\\' {
			continue
		}
		dst = append(dst, text[plain:i]...)
		if plain = i + 1; b >= ' ' {
			dst = append(dst, '\\', b)
		} else {
			dst = append(dst, '\\', 'u', '0', '0', digits[b>>4], digits[b&15])
		}
	}
	dst = append(dst, text[plain:]...)
	return append(dst, '"')
}
