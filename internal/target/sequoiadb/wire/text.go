package wire

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// Limits of String: documents come from a server.
const (
	mostDepth = 16
	mostText  = 64 << 10
)

// String formats the document in the manner of JSON, for people.
func (d Document) String() string {
	var b strings.Builder
	d.write(&b, false, 0)
	return b.String()
}

func (d Document) write(b *strings.Builder, array bool, depth int) {
	ends := "{}"
	if array {
		ends = "[]"
	}
	b.WriteByte(ends[0])
	var e Element
	all := d.Elements()
	for first := true; all.Next(&e); first = false {
		if !first {
			b.WriteString(", ")
		}
		if depth >= mostDepth || b.Len() > mostText {
			b.WriteString("…")
			break
		}
		if !array {
			b.WriteString(quoted(e.Name) + ": ")
		}
		e.write(b, depth)
	}
	b.WriteByte(ends[1])
}

func (e *Element) write(b *strings.Builder, depth int) {
	if inner, is := e.Document(); is {
		inner.write(b, e.IsArray(), depth+1)
		return
	}
	if v, is := e.Bool(); is {
		b.WriteString(strconv.FormatBool(v))
		return
	}
	switch e.kind {
	case kindString, kindCode, kindSymbol:
		text, _ := e.Bytes()
		b.WriteString(quoted(text))
	case kindInt32, kindInt64:
		n, _ := e.Int()
		b.WriteString(strconv.FormatInt(n, 10))
	case kindDouble:
		f, _ := e.Number()
		b.WriteString(strconv.FormatFloat(f, 'g', -1, 64))
	case kindNull, kindUndefined:
		b.WriteString("null")
	case kindMinKey:
		b.WriteString("MinKey")
	case kindMaxKey:
		b.WriteString("MaxKey")
	default:
		b.WriteString("0x" + hex.EncodeToString(e.value[:min(len(e.value), 64)]))
	}
}

// quoted makes text of a server printable and short.
func quoted(text []byte) string {
	const most = 1000
	if len(text) > most {
		return strconv.Quote(string(text[:most]) + "…")
	}
	return strconv.Quote(string(text))
}
