package rpc

import (
	"encoding/binary"
	"fmt"

	"github.com/tsuna/gohbase/compression"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/benchd/benchd/internal/target/hbase/memory"
)

// codec compresses cells like Hadoop's block streams: the length of a block, then chunks with their lengths.
type codec struct {
	compression.Codec

	memory *memory.Pool
}

// incompressible returns a length that no compression of n bytes exceeds. Encode allocates if there is less room.
func incompressible(n int) int { return 32 + n + n/6 }

// expansion is more than the length of any chunk's content in relation to the chunk: three bytes of Snappy stand for at most 64.
const expansion = 22

// compress appends cells to out.
func (c *codec) compress(out, cells []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(cells)))
	for len(cells) > 0 {
		chunk := cells[:min(len(cells), int(c.ChunkLen()))]
		cells = cells[len(chunk):]
		out = c.memory.Grow(out, 4+incompressible(len(chunk)))
		at := len(out)
		out = append(out, 0, 0, 0, 0)
		var n uint32
		out, n = c.Encode(chunk, out)
		binary.BigEndian.PutUint32(out[at:], n)
	}
	return out
}

// decompress appends the content of a stream of blocks to out.
func (c *codec) decompress(out, blocks []byte) ([]byte, error) {
	for len(blocks) > 0 {
		size, rest, ok := number(blocks)
		if !ok || size > most || len(out)+size > most {
			return out, errCutShort
		}
		for end := len(out) + size; len(out) < end; {
			n, tail, ok := number(rest)
			if !ok || n > len(tail) {
				return out, errCutShort
			}
			before := len(out)
			// A chunk begins with its length, which Decode allocates without checking.
			claimed, k := protowire.ConsumeVarint(tail[:n])
			if k < 0 || claimed > uint64(end-before) || claimed > uint64(expansion*n) {
				return out, errCutShort
			}
			out = c.memory.Grow(out, int(claimed))
			var err error
			if out, _, err = c.Decode(tail[:n], out); err != nil {
				return out, fmt.Errorf("decompress cells: %w", err)
			}
			if len(out) > end || len(out) == before {
				return out, errCutShort
			}
			rest = tail[n:]
		}
		blocks = rest
	}
	return out, nil
}

func number(b []byte) (n int, rest []byte, ok bool) {
	if len(b) < 4 {
		return 0, nil, false
	}
	return int(binary.BigEndian.Uint32(b)), b[4:], true
}
