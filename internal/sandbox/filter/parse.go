package filter

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

// Bounds of a request's filters.
const (
	maxDepth   = 32
	maxFilters = 4096
	maxBytes   = 1 << 20
)

const javaPackage = "org.apache.hadoop.hbase.filter."

// Refusal is the reason why a filter or comparator cannot be used. HBase answers such requests with
// DoNotRetryIOException.
type Refusal struct{ Text string }

// Error is the message.
func (r *Refusal) Error() string { return r.Text }

// Class is the Java exception class that a client expects.
func (*Refusal) Class() string { return "org.apache.hadoop.hbase.DoNotRetryIOException" }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// Parse makes a filter from a request's message; nil if there is none.
func Parse(m *pb.Filter) (Filter, error) {
	if m == nil {
		return nil, nil //nolint:nilnil // a request without a filter is valid
	}
	if n := len(m.GetSerializedFilter()); n > maxBytes {
		return nil, refuse("the filter has %d bytes, at most %d are allowed", n, maxBytes)
	}
	p := &parser{}
	return p.filter(m, 0)
}

// ParseComparator makes a comparator from a request's message.
func ParseComparator(m *pb.Comparator) (Comparator, error) {
	if n := len(m.GetSerializedComparator()); n > maxBytes {
		return nil, refuse("the comparator has %d bytes, at most %d are allowed", n, maxBytes)
	}
	name := m.GetName()
	short, ok := strings.CutPrefix(name, javaPackage)
	if !ok {
		return nil, refuse("java.lang.ClassNotFoundException: %s", name)
	}
	parse := comparators()[short]
	if parse == nil {
		return nil, refuse("java.lang.ClassNotFoundException: %s; the sandbox has no such comparator", name)
	}
	c, err := parse(m.GetSerializedComparator())
	if err != nil {
		return nil, wrap(name, err)
	}
	return c, nil
}

// wrap adds the class to an error in its message.
func wrap(name string, err error) error {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r
	}
	return refuse("org.apache.hadoop.hbase.exceptions.DeserializationException: %s: %v", name, err)
}

type parser struct{ count int }

// filter parses one filter and its inner filters.
func (p *parser) filter(m *pb.Filter, depth int) (Filter, error) {
	if p.count++; p.count > maxFilters || depth > maxDepth {
		return nil, refuse("the request has too many filters, or too deep: at most %d, %d deep", maxFilters, maxDepth)
	}
	name := m.GetName()
	short, ok := strings.CutPrefix(name, javaPackage)
	if !ok {
		return nil, refuse("java.lang.ClassNotFoundException: %s", name)
	}
	for _, known := range []map[string]func([]byte) (Filter, error){rowFilters(), columnFilters(), cellFilters()} {
		if parse := known[short]; parse != nil {
			f, err := parse(m.GetSerializedFilter())
			if err != nil {
				return nil, wrap(name, err)
			}
			return f, nil
		}
	}
	f, err := p.nested(short, m.GetSerializedFilter(), depth)
	if err != nil {
		return nil, wrap(name, err)
	}
	if f == nil {
		return nil, refuse("java.lang.ClassNotFoundException: %s; the sandbox has no such filter", name)
	}
	return f, nil
}

// nested parses a filter that contains others; nil if it is of another kind.
func (p *parser) nested(short string, b []byte, depth int) (Filter, error) {
	switch short {
	case "FilterList":
		m, err := decode(b, &pb.FilterList{})
		if err != nil {
			return nil, err
		}
		filters := make([]Filter, 0, len(m.GetFilters()))
		for _, one := range m.GetFilters() {
			f, err := p.filter(one, depth+1)
			if err != nil {
				return nil, err
			}
			filters = append(filters, f)
		}
		if m.GetOperator() == pb.FilterList_MUST_PASS_ONE {
			return newOr(filters), nil
		}
		return &and{list: newList(filters)}, nil
	case "SkipFilter":
		m, err := decode(b, &pb.SkipFilter{})
		if err != nil {
			return nil, err
		}
		f, err := p.filter(m.GetFilter(), depth+1)
		return &skip{Filter: f}, err
	case "WhileMatchFilter":
		m, err := decode(b, &pb.WhileMatchFilter{})
		if err != nil {
			return nil, err
		}
		f, err := p.filter(m.GetFilter(), depth+1)
		return &whileMatch{Filter: f}, err
	case "FilterWrapper":
		m, err := decode(b, &pb.FilterWrapper{})
		if err != nil {
			return nil, err
		}
		return p.filter(m.GetFilter(), depth+1)
	default:
		return nil, nil //nolint:nilnil // the caller reports the unknown name
	}
}

func decode[M proto.Message](b []byte, m M) (M, error) { return m, proto.Unmarshal(b, m) }
