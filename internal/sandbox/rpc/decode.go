package rpc

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const (
	// Messages up to light are decoded without a check.
	light    = 8 << 10
	maxDepth = 20
	// maxWeight bounds the memory of one message.
	maxWeight = 256 << 20
	// The memory of a field beside its bytes, even of a field of two bytes on the wire.
	messageWeight = 200
	bytesWeight   = 32
	numberWeight  = 8
)

// Decode parses a call's message. It refuses a message with so many parts that it would take many times its length in
// memory.
func Decode(c *Call, m proto.Message) error {
	if len(c.Param) > light {
		most := min(4<<20+24*len(c.Param), maxWeight)
		if weigh(c.Param, m.ProtoReflect().Descriptor(), most, maxDepth) > most {
			return Finalf("org.apache.hadoop.hbase.exceptions.RequestTooBigException", "a %s of %d bytes would take more than %d in memory", c.Method, len(c.Param), most)
		}
	}
	if err := proto.Unmarshal(c.Param, m); err != nil {
		return Finalf("org.apache.hadoop.hbase.DoNotRetryIOException", "malformed %s: %v", c.Method, err)
	}
	return nil
}

// weigh returns the memory that decoding would take, up to a bit more than most. It leaves malformed messages to the
// decoder.
func weigh(b []byte, d protoreflect.MessageDescriptor, most, depth int) int {
	n := 0
	for len(b) > 0 && n <= most && depth > 0 {
		number, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return n
		}
		b = b[size:]
		if size = protowire.ConsumeFieldValue(number, kind, b); size < 0 {
			return n
		}
		field := d.Fields().ByNumber(number)
		switch {
		case field == nil:
			n += size
		case kind != protowire.BytesType:
			n += numberWeight
		case field.Message() == nil:
			n += bytesWeight + size
		default:
			inner, _ := protowire.ConsumeBytes(b)
			n += messageWeight + weigh(inner, field.Message(), most-n, depth-1)
		}
		b = b[size:]
	}
	return n
}
