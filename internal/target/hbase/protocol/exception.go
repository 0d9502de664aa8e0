package protocol

import (
	"errors"
	"net"
	"regexp"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Exception is what a server throws.
type Exception struct {
	Class      string // with its package
	Message    string // of an exception that was received: one line, without class and stack
	DoNotRetry bool
	// Host and Port are the new place of a region that has moved. Only servers set them: clients use MovedTo.
	Host string
	Port int
}

// Error returns the class without its package, and the message.
func (e *Exception) Error() string {
	if e.Message == "" {
		return e.Short()
	}
	return e.Short() + ": " + e.Message
}

// Short returns the class without its package.
func (e *Exception) Short() string { return short(e.Class) }

func short(class string) string { return class[strings.LastIndexAny(class, ".$")+1:] }

// Printed returns the exception as Java prints it, without a stack. Answers contain it in this form.
func (e *Exception) Printed() string { return e.Class + ": " + e.Message }

// Errors that exceptions match by errors.Is.
var (
	// ErrNoTable means that the table does not exist.
	ErrNoTable = errors.New("no such table")
	// ErrTableExists means that the table already exists.
	ErrTableExists = errors.New("the table exists")
	// ErrNoNamespace means that the table's namespace does not exist.
	ErrNoNamespace = errors.New("no such namespace")
	// ErrDisabled means that the table must be enabled first.
	ErrDisabled = errors.New("the table is disabled")
	// ErrEnabled means that the table must be disabled first.
	ErrEnabled = errors.New("the table is enabled")
)

// Is reports whether the exception matches one of the errors above.
func (e *Exception) Is(target error) bool {
	switch e.Short() {
	case "TableNotFoundException":
		return target == ErrNoTable
	case "TableExistsException":
		return target == ErrTableExists
	case "NamespaceNotFoundException":
		return target == ErrNoNamespace
	case "TableNotEnabledException":
		return target == ErrDisabled
	case "TableNotDisabledException":
		return target == ErrEnabled
	}
	return false
}

// NewException makes an exception from its class and its printed form: the class, the message and the stack.
func NewException(class, printed string) *Exception {
	e := &Exception{Class: strings.ToValidUTF8(class, "�")}
	printed = strings.ToValidUTF8(printed, "�")
	first, rest, _ := strings.Cut(printed, "\n")
	for rest != "" { // a message may have several lines before the stack
		line, after, _ := strings.Cut(rest, "\n")
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "at ") || strings.HasPrefix(line, "Caused by:") || strings.HasPrefix(line, "... ") {
			break
		}
		first, rest = first+" "+line, after
	}
	first = strings.TrimSpace(first)
	for e.Class != "" { // an exception that wraps another repeats its class
		after, found := strings.CutPrefix(first, e.Class)
		if !found {
			break
		}
		first = strings.TrimSpace(strings.TrimPrefix(after, ":"))
	}
	const longest = 500
	if len(first) > longest {
		first = strings.ToValidUTF8(first[:longest], "") + "…"
	}
	e.Message = first
	return e
}

// movedPlace matches the server in the message of a RegionMovedException.
var movedPlace = regexp.MustCompile(`hostname=(\S+) port=(\d+) startCode=`)

// MovedTo returns host:port of the server that an exception names as the region's new one, or "".
func (e *Exception) MovedTo() string {
	if e.Short() != "RegionMovedException" {
		return ""
	}
	m := movedPlace.FindStringSubmatch(e.Message)
	if m == nil {
		return ""
	}
	return net.JoinHostPort(m[1], m[2])
}

// ParseException reads an ExceptionResponse. From a malformed one it takes the fields that can be read.
func ParseException(b []byte) *Exception {
	var class, stack string
	doNotRetry := false
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			break
		}
		b = b[n:]
		size := protowire.ConsumeFieldValue(num, kind, b)
		if size < 0 {
			break
		}
		switch {
		case num == 1 && kind == protowire.BytesType:
			class, _ = protowire.ConsumeString(b)
		case num == 2 && kind == protowire.BytesType:
			stack, _ = protowire.ConsumeString(b)
		case num == 5 && kind == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(b)
			doNotRetry = v != 0
		}
		b = b[size:]
	}
	e := NewException(class, stack)
	e.DoNotRetry = doNotRetry
	return e
}

// parsePair reads the NameBytesPair that holds an exception in the answer to a Multi.
func parsePair(b []byte) (*Exception, error) {
	var class string
	var printed []byte
	err := fields(b, func(num int, _ uint64, b []byte) error {
		switch num {
		case 1:
			class = string(b)
		case 2:
			printed = b
		}
		return nil
	})
	e := NewException(class, string(printed))
	e.DoNotRetry = Final(class) // the message has no field for it
	return e, err
}

// Append appends the exception as an ExceptionResponse.
func (e *Exception) Append(b []byte) []byte {
	b = protowire.AppendString(protowire.AppendTag(b, 1, protowire.BytesType), e.Class)
	b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), e.Printed())
	if e.Host != "" {
		b = protowire.AppendString(protowire.AppendTag(b, 3, protowire.BytesType), e.Host)
		b = protowire.AppendVarint(protowire.AppendTag(b, 4, protowire.VarintType), uint64(e.Port))
	}
	return protowire.AppendVarint(protowire.AppendTag(b, 5, protowire.VarintType), protowire.EncodeBool(e.DoNotRetry))
}
