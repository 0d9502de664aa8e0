package rpc

import (
	"encoding/binary"
	"net"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/compression"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
)

// allocates returns how many bytes a function allocates in all goroutines.
func allocates(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func be(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// answerOf returns a frame whose length says announced, with the header of an answer to call id and more bytes.
func answerOf(announced, id uint32, cells uint64, more ...byte) []byte {
	meta := protowire.AppendVarint([]byte{1 << 3}, cells)
	head := protowire.AppendVarint([]byte{1 << 3}, uint64(id))
	head = protowire.AppendBytes(append(head, 3<<3|2), meta)
	body := append(protowire.AppendBytes(nil, head), more...)
	if announced == 0 {
		announced = uint32(len(body))
	}
	return append(be(announced), body...)
}

// compressed returns an answer whose cells are a compressed stream.
func compressed(id uint32, stream ...byte) []byte {
	return answerOf(0, id, uint64(len(stream)), append([]byte{0}, stream...)...)
}

// A server announces lengths before it sends anything. They must not become allocations.
func TestAnnouncedLengthsAreNotAllocated(t *testing.T) {
	const much = 250 << 20 // within the limit of answers
	huge := protowire.AppendVarint(nil, 0xFFFFFFFF)
	chunk := func(block uint32, claimed uint64) []byte {
		content := append(protowire.AppendVarint(nil, claimed), 0, 'x')
		return append(append(be(block), be(uint32(len(content)))...), content...)
	}
	for name, answer := range map[string]func(id uint32) []byte{
		"a frame of 4 GiB":              func(uint32) []byte { return be(0xFFFFFFFF) },
		"a frame of 250 MiB, cut short": func(id uint32) []byte { return answerOf(much, id, 0, make([]byte, 2*readBuffer)...) },
		"a frame of 250 MiB for nobody": func(uint32) []byte { return answerOf(much, 4711, 0, make([]byte, 2*readBuffer)...) },
		"a header of 4 GiB":             func(uint32) []byte { return append(be(8), append(huge, 1, 2, 3)...) },
		"a cell block of 4 GiB":         func(id uint32) []byte { return answerOf(0, id, 0xFFFFFFFF, 0) },
		"a cell block of 2^64 bytes":    func(id uint32) []byte { return answerOf(0, id, 1<<64-1, 0) },
		"a cell block of 250 MiB":       func(id uint32) []byte { return answerOf(0, id, much, 0) },
		"a message of 4 GiB":            func(id uint32) []byte { return answerOf(0, id, 0, huge...) },
		"compressed cells of 4 GiB":     func(id uint32) []byte { return compressed(id, chunk(0xFFFFFFFF, 0xFFFFFFFF)...) },
		"compressed cells of 250 MiB":   func(id uint32) []byte { return compressed(id, chunk(much, much)...) },
		"a chunk of 4 GiB":              func(id uint32) []byte { return compressed(id, append(be(much), be(0xFFFFFFFF)...)...) },
	} {
		t.Run(name, func(t *testing.T) {
			addr := serve(t, func(net.Conn) {}, func(c net.Conn, h *pb.RequestHeader, _ []byte) bool {
				_, _ = c.Write(answer(h.GetCallId())) // the client may have hung up already
				return false                          // hangs up
			})
			c := dial(t, addr, compression.New("snappy"))
			call := NewCall()
			call.Method = "Get"
			grown := allocates(func() {
				_, _, err := ask(c, call)
				require.Error(t, err)
			})
			require.Less(t, grown, uint64(16<<20))
		})
	}
}

// An honest large answer arrives whole, whatever its size is in relation to the steps of its buffer.
func TestALargeAnswerArrivesWhole(t *testing.T) {
	for _, size := range []int{trusted - 10, trusted, trusted + 1, 3*trusted + 17} {
		cells := make([]byte, size)
		for i := range cells {
			cells[i] = byte(i * 31)
		}
		addr := peer(t, func(h *pb.RequestHeader, _ []byte) []byte { return reply(h.GetCallId(), nil, cells, nil) })
		c := dial(t, addr, nil)
		call := NewCall()
		for range 2 { // the second time the buffer exists
			_, got, err := ask(c, call)
			require.NoError(t, err)
			require.Equal(t, cells, got)
		}
	}
}
