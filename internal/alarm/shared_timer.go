package alarm

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrClosed is returned by Wait when the SharedTimer is closed.
var ErrClosed = errors.New("the timer is closed")

// SharedTimer lets any number of goroutines wait precisely, with a single timer of the system.
type SharedTimer struct {
	timer ringer
	began time.Time
	rings sync.WaitGroup

	mu       sync.Mutex
	sleepers sleepers
	closed   bool
}

// ringer is a timer that one goroutine waits for while others set it.
type ringer interface {
	// set sets the timer to ring once, after d. It replaces an earlier setting.
	set(d time.Duration) error
	// wait waits until the timer rings. It fails once the timer is closed.
	wait() error
	close() error
}

// NewSharedTimer returns a SharedTimer and starts its goroutine. It fails when New fails.
func NewSharedTimer() (*SharedTimer, error) {
	switch precise, err := newKernelTimer(); {
	case err != nil:
		return nil, fmt.Errorf("make a precise timer: %w", err)
	case precise != nil:
		return newSharedTimer(precise), nil
	default:
		return NewPlainSharedTimer(), nil
	}
}

// NewPlainSharedTimer returns a SharedTimer that uses the runtime's timers, for a bubble of testing/synctest.
func NewPlainSharedTimer() *SharedTimer { return newSharedTimer(newRuntimeTimer()) }

func newSharedTimer(timer ringer) *SharedTimer {
	b := &SharedTimer{timer: timer, began: time.Now()}
	b.rings.Go(b.ring)
	return b
}

// sleeper is a waiting goroutine.
type sleeper struct {
	at    time.Duration // since the SharedTimer began
	rang  chan error
	place int // index in the heap; -1 if it is not in it
}

// Wait waits until an instant, or until ctx ends or the SharedTimer is closed, and then returns why.
func (b *SharedTimer) Wait(ctx context.Context, until time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	at := until.Sub(b.began)
	left := at - time.Since(b.began)
	if left <= 0 {
		return nil
	}
	s := &sleeper{at: at, rang: make(chan error, 1)}
	if err := b.enter(s, left); err != nil {
		return err
	}
	select {
	case err := <-s.rang:
		return err
	case <-ctx.Done():
		b.leave(s)
		return ctx.Err()
	}
}

func (b *SharedTimer) enter(s *sleeper, left time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ErrClosed
	}
	heap.Push(&b.sleepers, s)
	if s.place > 0 {
		return nil
	}
	if err := b.timer.set(left); err != nil {
		heap.Remove(&b.sleepers, s.place)
		return err
	}
	return nil
}

func (b *SharedTimer) leave(s *sleeper) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.place >= 0 {
		heap.Remove(&b.sleepers, s.place)
	}
}

// ring wakes the sleepers whose time has come, until the timer is closed or fails.
func (b *SharedTimer) ring() {
	for {
		err := b.timer.wait()
		if err == nil {
			err = b.wake()
		}
		if err != nil {
			b.dismiss(err)
			return
		}
	}
}

func (b *SharedTimer) wake() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.sleepers) > 0 {
		if left := b.sleepers[0].at - time.Since(b.began); left > 0 {
			return b.timer.set(left)
		}
		s, _ := heap.Pop(&b.sleepers).(*sleeper)
		s.rang <- nil
	}
	return nil
}

// dismiss releases all waiters with ErrClosed.
func (b *SharedTimer) dismiss(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		err = ErrClosed
	}
	b.closed = true
	for _, s := range b.sleepers {
		s.place = -1
		s.rang <- err
	}
	b.sleepers = nil
}

// Close stops the SharedTimer; waiters get ErrClosed.
func (b *SharedTimer) Close() error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	err := b.timer.close()
	b.rings.Wait()
	return err
}

// sleepers is a heap with the next one to wake first.
type sleepers []*sleeper

func (s *sleepers) Len() int           { return len(*s) }
func (s *sleepers) Less(i, j int) bool { return (*s)[i].at < (*s)[j].at }

func (s *sleepers) Swap(i, j int) {
	h := *s
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Len, Less, Swap, Push and Pop implement heap.Interface.

// Push adds a sleeper.
func (s *sleepers) Push(x any) {
	one, _ := x.(*sleeper)
	one.place = len(*s)
	*s = append(*s, one)
}

// Pop removes the last one.
func (s *sleepers) Pop() any {
	last := len(*s) - 1
	one := (*s)[last]
	(*s)[last] = nil
	*s = (*s)[:last]
	one.place = -1
	return one
}

// runtimeTimer is a ringer that uses a timer of the runtime.
type runtimeTimer struct {
	timer *time.Timer
	over  chan struct{}
}

func newRuntimeTimer() *runtimeTimer {
	t := &runtimeTimer{timer: time.NewTimer(0), over: make(chan struct{})}
	t.timer.Stop()
	return t
}

func (t *runtimeTimer) set(d time.Duration) error {
	t.timer.Reset(d)
	return nil
}

func (t *runtimeTimer) wait() error {
	select {
	case <-t.timer.C:
		return nil
	case <-t.over:
		return ErrClosed
	}
}

func (t *runtimeTimer) close() error {
	t.timer.Stop()
	close(t.over)
	return nil
}
