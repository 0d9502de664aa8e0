package alarm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// kernelTimer is a timerfd that the runtime's network poller watches: a goroutine that reads it sleeps without
// a thread of its own, and the kernel wakes the poller to the microsecond.
type kernelTimer struct {
	fd   int
	file *os.File
	buf  [8]byte

	// ctx is the context whose end interrupts a wait. Sessions and workers wait with one and the same for
	// millions of times, so it is watched across waits.
	ctx     context.Context //nolint:containedctx // see above
	unwatch func() bool

	mu      sync.Mutex
	watched int // which watch is valid; an older one that fires late does nothing
}

func newKernelTimer() *kernelTimer {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil
	}
	return &kernelTimer{fd: fd, file: os.NewFile(uintptr(fd), "timerfd")}
}

// set sets the timer, also while another goroutine waits for it. It takes back an expiry that nobody read.
func (t *kernelTimer) set(d time.Duration) error {
	at := unix.ItimerSpec{Value: unix.NsecToTimespec(max(int64(d), 1))} // 0 would switch it off
	if err := unix.TimerfdSettime(t.fd, 0, &at, nil); err != nil {
		return fmt.Errorf("set alarm: %w", err)
	}
	return nil
}

// wait waits until the timer rings.
func (t *kernelTimer) wait() error {
	if _, err := t.file.Read(t.buf[:]); err != nil {
		return fmt.Errorf("wait for alarm: %w", err)
	}
	return nil
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
