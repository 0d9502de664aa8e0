package rawio_test

import (
	"bytes"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/benchd/benchd/internal/rawio"
)

// pipe returns a non-blocking pipe; shut closes one of its ends.
func pipe(t *testing.T) (out, in uintptr, shut func(end uintptr)) {
	t.Helper()
	var ends [2]int
	require.NoError(t, unix.Pipe2(ends[:], unix.O_NONBLOCK|unix.O_CLOEXEC))
	out, in = uintptr(ends[0]), uintptr(ends[1])
	open := map[uintptr]bool{out: true, in: true}
	shut = func(end uintptr) {
		if open[end] {
			require.NoError(t, unix.Close(int(end)))
			open[end] = false
		}
	}
	t.Cleanup(func() {
		shut(out)
		shut(in)
	})
	return out, in, shut
}

func TestReadAndWriteDoWhatCanBeDoneAtOnce(t *testing.T) {
	out, in, _ := pipe(t)
	b := make([]byte, 2*rawio.Most)
	_, errno := rawio.Read(out, b)
	require.Equal(t, syscall.EAGAIN, errno, "nothing is there")

	sent := bytes.Repeat([]byte("0123456789abcdef"), 2*rawio.Most/16)
	n, errno := rawio.Write(in, sent)
	require.Zero(t, errno)
	require.Equal(t, rawio.Most, n, "a pipe takes as much as is copied at a time")
	_, errno = rawio.Write(in, sent)
	require.Equal(t, syscall.EAGAIN, errno, "it is full")

	got, errno := rawio.Read(out, b)
	require.Zero(t, errno)
	require.Equal(t, n, got)
	require.True(t, bytes.Equal(sent[:n], b[:got]))
}

func TestNothingIsReadAtTheEnd(t *testing.T) {
	out, in, shut := pipe(t)
	shut(in)
	n, errno := rawio.Read(out, make([]byte, 10))
	require.Zero(t, errno)
	require.Zero(t, n)
}

func TestReadAndWriteReturnErrors(t *testing.T) {
	out, in, shut := pipe(t)
	_, errno := rawio.Read(in, make([]byte, 10))
	require.Equal(t, syscall.EBADF, errno)
	_, errno = rawio.Write(out, []byte("x"))
	require.Equal(t, syscall.EBADF, errno)
	shut(out)
	_, errno = rawio.Write(in, []byte("x"))
	require.Equal(t, syscall.EPIPE, errno)
}
