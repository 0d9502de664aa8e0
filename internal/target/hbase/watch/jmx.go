package watch

import (
	"errors"
	"strconv"
	"strings"
)

// errJSON is of a page that is none of /jmx.
var errJSON = errors.New("it is no list of beans")

// attributes visits the attributes of the first bean in what /jmx answers; nested ones are left out. Nothing is allocated
// for those that nobody wants, which are most: a bean of a region server has some three hundred.
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

// mostNested is how deep values may be nested.
const mostNested = 32

// scanner goes through JSON without making anything of it.
type scanner struct {
	b []byte
	i int
}

func (s *scanner) blank() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\n' || s.b[s.i] == '\r' || s.b[s.i] == '\t') {
		s.i++
	}
}

// take goes over a character, if it is the next.
func (s *scanner) take(c byte) bool {
	s.blank()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// text goes over a string, and gives what is between its quotes as it is written.
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

// value goes over any value, and gives it as it is written.
func (s *scanner) value(depth int) ([]byte, bool) {
	s.blank()
	if s.i >= len(s.b) || depth > mostNested {
		return nil, false
	}
	begin := s.i
	switch s.b[s.i] {
	case '"':
		_, ok := s.text()
		return s.b[begin:min(s.i, len(s.b))], ok
	case '{', '[':
		closing := s.b[s.i] + 2 // as ASCII has it
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

// number reads a value that is one.
func number(value []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(value), 64)
	return f, err == nil && f < 1e300 && f > -1e300 // so it is no NaN either
}
