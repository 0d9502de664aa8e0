package filter

import "bytes"

// Op is a comparison. The numbers are those of HBase's protocol.
type Op uint8

// The comparisons.
const (
	Less Op = iota
	LessOrEqual
	Equal
	NotEqual
	GreaterOrEqual
	Greater
	NoOp
)

// Holds applies the comparison to an order as bytes.Compare gives it.
func (o Op) Holds(order int) bool {
	switch o {
	case Less:
		return order < 0
	case LessOrEqual:
		return order <= 0
	case Equal:
		return order == 0
	case NotEqual:
		return order != 0
	case GreaterOrEqual:
		return order >= 0
	case Greater:
		return order > 0
	case NoOp:
		return false
	default:
		return false
	}
}

// Comparator compares what it was made with to a cell's part.
type Comparator interface {
	// Compare is negative when the comparator's value comes before b, as Java's compareTo.
	Compare(b []byte) int
	// Value is what the comparator was made with.
	Value() []byte
	// Matches tells that the comparator looks for something in a value, so that an empty one of its own means nothing.
	Matches() bool
}

// Binary compares bytes.
type Binary []byte

// Compare compares all bytes.
func (v Binary) Compare(b []byte) int { return bytes.Compare(v, b) }

// Value is the bytes.
func (v Binary) Value() []byte { return v }

// Matches is false.
func (Binary) Matches() bool { return false }
