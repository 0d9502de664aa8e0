package rpc

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stream is a client that sends its input, reads all answers and disconnects.
type stream struct{ io.Reader }

func (stream) Write(b []byte) (int, error)      { return len(b), nil }
func (stream) Close() error                     { return nil }
func (stream) LocalAddr() net.Addr              { return nil }
func (stream) RemoteAddr() net.Addr             { return nil }
func (stream) SetDeadline(time.Time) error      { return nil }
func (stream) SetReadDeadline(time.Time) error  { return nil }
func (stream) SetWriteDeadline(time.Time) error { return nil }

// For any input, a connection ends without a panic and returns its memory to the budget.
func FuzzConnection(f *testing.F) {
	f.Add(append(hello(""), request(1, "Echo", []byte("p"), []byte("c"))...))
	f.Add(append(hello(snappyClass), request(1, "Slow", nil, []byte{0, 0, 0, 1, 0, 0, 0, 1, 1})...))
	f.Add(append(hello(gzipClass), request(1, "Fail", nil, []byte{0x1f, 0x8b})...))
	f.Add(append(hello(""), 0x7f, 0xff, 0xff, 0xff))
	f.Add(append(hello(""), 0, 0, 0, 3, 0xff, 0xff, 0xff))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := New(map[string]Service{"Echo": echo{make(chan struct{})}}, slog.New(slog.DiscardHandler))
		defer s.Close()
		require.Error(t, newConn(s, stream{bytes.NewReader(b)}).serve())
		require.True(t, s.budget.TryAcquire(budget))
	})
}

// For any input, decompression ends and returns at most the bytes that it announced.
func FuzzCompressed(f *testing.F) {
	for _, class := range []string{snappyClass, gzipClass, zlibClass} {
		pack, err := compressorOf(class)
		require.NoError(f, err)
		packed, err := pack.compress(nil, bytes.Repeat([]byte("abc"), 1000))
		require.NoError(f, err)
		f.Add(packed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, class := range []string{snappyClass, gzipClass, zlibClass} {
			pack, err := compressorOf(class)
			require.NoError(t, err)
			if plain, err := pack.decompress(nil, b); err == nil {
				require.LessOrEqual(t, len(plain), pack.most(b))
			}
		}
	})
}
