package rpc

import (
	"encoding/binary"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

var errFrame = errors.New("malformed frame")

// parse splits a frame: the header, the message, and the rest, the cell block. The slices share the frame's memory.
func (c *Call) parse(frame []byte) error {
	*c = Call{Conn: c.Conn, unpacked: c.unpacked[:0]}
	head, n := protowire.ConsumeBytes(frame)
	if n < 0 {
		return errFrame
	}
	frame = frame[n:]
	block, hasID := -1, false
	for len(head) > 0 {
		number, kind, n := protowire.ConsumeTag(head)
		if n < 0 {
			return errFrame
		}
		head = head[n:]
		switch {
		case kind == protowire.VarintType:
			v, n := protowire.ConsumeVarint(head)
			if n < 0 {
				return errFrame
			}
			head = head[n:]
			switch number {
			case 1:
				c.id, hasID = uint32(v), true
			case 7:
				c.Timeout = uint32(v)
			default: // priorities
			}
		case kind == protowire.BytesType && (number == 3 || number == 5):
			v, n := protowire.ConsumeBytes(head)
			if n < 0 {
				return errFrame
			}
			head = head[n:]
			if number == 3 {
				c.Method = v
				break
			}
			if block = blockLength(v); block < 0 {
				return errFrame
			}
		default: // tracing, attributes
			n := protowire.ConsumeFieldValue(number, kind, head)
			if n < 0 {
				return errFrame
			}
			head = head[n:]
		}
	}
	if !hasID || len(c.Method) == 0 {
		return errFrame
	}
	if len(frame) > max(block, 0) {
		param, n := protowire.ConsumeBytes(frame)
		if n < 0 {
			return errFrame
		}
		c.Param, frame = param, frame[n:]
	}
	if block > 0 {
		if block != len(frame) {
			return errFrame
		}
		c.Cells = frame
	}
	return nil
}

// blockLength reads a CellBlockMeta; -1 means that it is malformed.
func blockLength(meta []byte) int {
	length := 0
	for len(meta) > 0 {
		number, kind, n := protowire.ConsumeTag(meta)
		if n < 0 {
			return -1
		}
		meta = meta[n:]
		if number == 1 && kind == protowire.VarintType {
			v, n := protowire.ConsumeVarint(meta)
			if n < 0 || v > maxFrame {
				return -1
			}
			length, meta = int(v), meta[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(number, kind, meta); n < 0 {
			return -1
		}
		meta = meta[n:]
	}
	return length
}

// append appends the answer to a call as a frame.
func (a *Answer) append(b []byte, id uint32, c compressor) ([]byte, error) {
	var room [64]byte
	head := protowire.AppendVarint(protowire.AppendTag(room[:0], 1, protowire.VarintType), uint64(id))
	if a.Exception != nil {
		head = protowire.AppendBytes(protowire.AppendTag(head, 2, protowire.BytesType), a.Exception.Append(nil))
		b = binary.BigEndian.AppendUint32(b, uint32(protowire.SizeBytes(len(head))))
		return protowire.AppendBytes(b, head), nil //nolint:nilerr // the exception is the answer
	}
	cells := a.Cells
	if len(cells) > 0 && c != nil {
		packed, err := c.compress(nil, cells)
		if err != nil {
			return b, err
		}
		cells = packed
	}
	if len(cells) > 0 {
		head = protowire.AppendTag(head, 3, protowire.BytesType)
		head = protowire.AppendVarint(head, uint64(1+protowire.SizeVarint(uint64(len(cells)))))
		head = protowire.AppendVarint(protowire.AppendTag(head, 1, protowire.VarintType), uint64(len(cells)))
	}
	size := len(a.Body)
	if a.Message != nil {
		size = proto.Size(a.Message)
	}
	total := protowire.SizeBytes(len(head)) + protowire.SizeBytes(size) + len(cells)
	b = binary.BigEndian.AppendUint32(b, uint32(total))
	b = protowire.AppendBytes(b, head)
	b = protowire.AppendVarint(b, uint64(size))
	if a.Message != nil {
		var err error
		if b, err = (proto.MarshalOptions{UseCachedSize: true}).MarshalAppend(b, a.Message); err != nil {
			return b, fmt.Errorf("encode answer: %w", err)
		}
	} else {
		b = append(b, a.Body...)
	}
	return append(b, cells...), nil
}
