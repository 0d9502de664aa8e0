package rpc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// most is the longest answer that is accepted and the longest request that is sent.
const most = 256 << 20

var errNonsense = errors.New("malformed answer; is the server an HBase region server?")

// overhead is more than the length of a frame beyond its method, its request and its cells.
const overhead = 80

// appendRequest appends a call's frame to out: its length, the header and the request. The cells follow, which are of a given length.
// A priority of 0 leaves the choice to the server.
func appendRequest(out []byte, id uint32, c *Call, cells int, priority uint32) []byte {
	begin := len(out)
	out = append(out, 0, 0, 0, 0)
	header := 1 + protowire.SizeVarint(uint64(id)) + 1 + protowire.SizeBytes(len(c.Method)) + 2
	meta := 0
	if cells > 0 {
		meta = 1 + protowire.SizeVarint(uint64(cells))
		header += 1 + protowire.SizeBytes(meta)
	}
	if priority > 0 {
		header += 1 + protowire.SizeVarint(uint64(priority))
	}
	timeout := uint64(min(c.Timeout.Milliseconds(), math.MaxUint32))
	if timeout > 0 {
		header += 1 + protowire.SizeVarint(timeout)
	}
	out = protowire.AppendVarint(out, uint64(header))
	out = append(out, 1<<3)
	out = protowire.AppendVarint(out, uint64(id))
	out = append(out, 3<<3|2)
	out = protowire.AppendString(out, c.Method)
	out = append(out, 4<<3, 1)
	if cells > 0 {
		out = append(out, 5<<3|2)
		out = protowire.AppendVarint(out, uint64(meta))
		out = append(out, 1<<3)
		out = protowire.AppendVarint(out, uint64(cells))
	}
	if priority > 0 {
		out = append(out, 6<<3)
		out = protowire.AppendVarint(out, uint64(priority))
	}
	if timeout > 0 {
		out = append(out, 7<<3)
		out = protowire.AppendVarint(out, timeout)
	}
	out = protowire.AppendBytes(out, c.Request)
	binary.BigEndian.PutUint32(out[begin:], uint32(len(out)-begin-4+cells))
	return out
}

// header is the header of an answer.
type header struct {
	id        uint32
	cells     int // bytes
	exception *protocol.Exception
}

// delimited splits b after its first length-delimited message.
func delimited(b []byte) (message, rest []byte, ok bool) {
	n, size := protowire.ConsumeVarint(b)
	if size < 0 || n > uint64(len(b)-size) {
		return nil, nil, false
	}
	return b[size : size+int(n)], b[size+int(n):], true
}

// parseHeader parses a header and skips unknown fields.
func parseHeader(b []byte, h *header) error {
	*h = header{}
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errNonsense
		}
		b = b[n:]
		switch {
		case num == 1 && kind == protowire.VarintType:
			v, n := protowire.ConsumeVarint(b)
			if n < 0 || v > math.MaxUint32 {
				return errNonsense
			}
			h.id, b = uint32(v), b[n:]
		case num == 2 && kind == protowire.BytesType:
			v, n := protowire.ConsumeBytes(b)
			if n < 0 {
				return errNonsense
			}
			h.exception, b = protocol.ParseException(v), b[n:]
		case num == 3 && kind == protowire.BytesType:
			v, n := protowire.ConsumeBytes(b)
			if n < 0 {
				return errNonsense
			}
			h.cells, b = parseCellMeta(v), b[n:]
		default:
			n := protowire.ConsumeFieldValue(num, kind, b)
			if n < 0 {
				return errNonsense
			}
			b = b[n:]
		}
	}
	if h.cells < 0 {
		return fmt.Errorf("%w (%d bytes of cells)", errNonsense, h.cells)
	}
	return nil
}

func parseCellMeta(b []byte) int {
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return -1
		}
		b = b[n:]
		if num == 1 && kind == protowire.VarintType {
			v, n := protowire.ConsumeVarint(b)
			if n < 0 || v > most {
				return -1
			}
			return int(v)
		}
		if n = protowire.ConsumeFieldValue(num, kind, b); n < 0 {
			return -1
		}
		b = b[n:]
	}
	return 0
}
