package watch

import (
	"errors"
	"strconv"
	"strings"
)

// errJSON is the error of a page that does not come from /jmx.
var errJSON = errors.New("not a list of beans")

// attributes visits the attributes of the first bean in an answer of /jmx, except nested ones. It allocates nothing: most of the
// three hundred attributes of a region server's bean are not wanted.
func attributes(page []byte, visit func(name, value []byte)) (found bool, err error) {
	s := scanner{b: page}
	if !s.take('{') {
		return false, errJSON
	}
	name, ok := s.text()
	if !ok || string(name) != "beans" || !s.take(':') || !s.take('[') {
		return false, errJSON
	}
	if s.take(']') {
		return false, nil
	}
	if !s.take('{') {
		return false, errJSON
	}
	if s.take('}') {
		return true, nil
	}
	for {
		name, ok := s.text()
		if !ok || !s.take(':') {
			return false, errJSON
		}
		value, ok := s.value(0)
		if !ok {
			return false, errJSON
		}
		if c := value[0]; c != '{' && c != '[' {
			visit(name, value)
		}
		if s.take('}') {
			return true, nil
		}
		if !s.take(',') {
			return false, errJSON
		}
	}
}

// maxNested is the maximum depth of nested values.
const maxNested = 32

// scanner steps through JSON without decoding it.
type scanner struct {
	b []byte
	i int
}

func (s *scanner) blank() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\n' || s.b[s.i] == '\r' || s.b[s.i] == '\t') {
		s.i++
	}
}

// take skips a character if it is the next one.
func (s *scanner) take(c byte) bool {
	s.blank()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// text skips a string, and returns what is between its quotes as it is written.
func (s *scanner) text() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	for begin := s.i; s.i < len(s.b); s.i++ {
		switch s.b[s.i] {
		case '\\':
			s.i++
		case '"':
			s.i++
			return s.b[begin : s.i-1], true
		}
	}
	return nil, false
}

// value skips any value, and returns it as it is written.
func (s *scanner) value(depth int) ([]byte, bool) {
	s.blank()
	if s.i >= len(s.b) || depth > maxNested {
		return nil, false
	}
	begin := s.i
	switch s.b[s.i] {
	case '"':
		_, ok := s.text()
		return s.b[begin:min(s.i, len(s.b))], ok
	case '{', '[':
		closing := s.b[s.i] + 2 // in ASCII
		keyed := closing == '}'
		s.i++
		for first := true; !s.take(closing); first = false {
			if !first && !s.take(',') {
				return nil, false
			}
			if keyed {
				if _, ok := s.text(); !ok || !s.take(':') {
					return nil, false
				}
			}
			if _, ok := s.value(depth + 1); !ok {
				return nil, false
			}
		}
		return s.b[begin:s.i], true
	}
	for s.i < len(s.b) && !strings.ContainsRune(",]} \n\r\t", rune(s.b[s.i])) {
		s.i++
	}
	return s.b[begin:s.i], s.i > begin
}

// number parses a finite number. HBase 1 writes numbers as strings.
func number(value []byte) (float64, bool) {
	if n := len(value); n >= 2 && value[0] == '"' {
		value = value[1 : n-1]
	}
	f, err := strconv.ParseFloat(string(value), 64)
	return f, err == nil && f < 1e300 && f > -1e300 // false for NaN, too
}
