package alarm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/benchd/benchd/internal/rawio"
)

// kernelTimer is a timerfd that the runtime's network poller watches: a goroutine that reads it sleeps without a thread
// of its own, and the kernel wakes the poller with microsecond precision.
type kernelTimer struct {
	fd   int
	file *os.File
	buf  [8]byte

	// The runtime waits for the file; reads are not announced to it, because that is cheaper (package rawio).
	raw  syscall.RawConn
	look func(fd uintptr) (done bool)
	lost error // why reading failed

	known bool // reads are announced to the runtime

	// ctx is the context whose end interrupts a wait. Sessions and workers wait millions of times with the same one, so
	// it is watched across waits.
	ctx     context.Context //nolint:containedctx // see above
	unwatch func() bool

	mu      sync.Mutex
	watched int // number of the valid watch; an older one that fires late does nothing
}

func newKernelTimer() (*kernelTimer, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	switch {
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		return nil, fmt.Errorf("%w: each needs a file descriptor; raise the limit (ulimit -n, LimitNOFILE)", err)
	case err != nil:
		return nil, err
	}
	t := &kernelTimer{fd: fd, file: os.NewFile(uintptr(fd), "timerfd")}
	if t.raw, err = t.file.SyscallConn(); err != nil {
		_ = t.file.Close() // it was not used
		return nil, err
	}
	t.look = t.read
	return t, nil
}

// set sets the timer, also while another goroutine waits for it. It drops an expiry that was not read.
func (t *kernelTimer) set(d time.Duration) error {
	at := unix.ItimerSpec{Value: unix.NsecToTimespec(max(int64(d), 1))} // 0 would switch it off
	if err := unix.TimerfdSettime(t.fd, 0, &at, nil); err != nil {
		return fmt.Errorf("set alarm: %w", err)
	}
	return nil
}

// wait waits until the timer rings.
func (t *kernelTimer) wait() error {
	err := t.raw.Read(t.look)
	if err == nil {
		err = t.lost
	}
	if err != nil {
		return fmt.Errorf("wait for alarm: %w", err)
	}
	return nil
}

// read consumes an expiry of the timer, if there is one.
func (t *kernelTimer) read(fd uintptr) (done bool) {
	read := rawio.Read
	if t.known {
		read = rawio.ReadKnown
	}
	switch _, errno := read(fd, t.buf[:]); errno {
	case 0:
		return true
	case syscall.EAGAIN:
		return false
	default:
		t.lost = errno
		return true
	}
}

// sleep sets the timer and waits for it, or for the end of ctx.
func (t *kernelTimer) sleep(ctx context.Context, d time.Duration) error {
	if ctx != t.ctx {
		if err := t.watch(ctx); err != nil {
			return err
		}
	}
	if err := t.set(d); err != nil {
		return err
	}
	if err := t.wait(); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return ctx.Err()
		}
		return err
	}
	return nil
}

// watch makes the end of ctx, and of no other context, interrupt reads.
func (t *kernelTimer) watch(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unwatch != nil {
		t.unwatch()
	}
	t.watched++
	mine := t.watched
	if err := t.file.SetReadDeadline(time.Time{}); err != nil {
		return fmt.Errorf("clear alarm: %w", err)
	}
	t.ctx = ctx
	t.unwatch = context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.watched == mine {
			_ = t.file.SetReadDeadline(time.Unix(1, 0)) // long ago; it fails only when the file is closed
		}
	})
	return nil
}

func (t *kernelTimer) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unwatch != nil {
		t.unwatch()
	}
	t.watched++
	return t.file.Close()
}
