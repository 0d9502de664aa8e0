package alarm

import (
	"context"
	"fmt"
	"time"
)

// spinBelow is the longest wait that is spent reading the clock: setting an alarm takes about as long.
const spinBelow = 5 * time.Microsecond

// Alarm lets one goroutine wait precisely. It uses no processor time, except for waits below five microseconds.
//
// An Alarm is used by one goroutine at a time.
type Alarm struct {
	precise *kernelTimer // nil if the system has none
	timer   *time.Timer  // used instead of precise
}

// New returns an Alarm. It fails if the system has precise timers but none available, such as when the process may open
// no more files: the runtime's timers are up to a millisecond late. On a system without precise timers it uses those of
// the runtime.
func New() (*Alarm, error) {
	switch precise, err := newKernelTimer(); {
	case err != nil:
		return nil, fmt.Errorf("make a precise timer: %w", err)
	case precise != nil:
		return &Alarm{precise: precise}, nil
	default:
		return NewPlain(), nil
	}
}

// NewKnown returns an Alarm like New, whose system calls are announced to the runtime (package rawio).
func NewKnown() (*Alarm, error) {
	a, err := New()
	if err == nil && a.precise != nil {
		a.precise.known = true
	}
	return a, err
}

// NewPlain returns an Alarm that uses the runtime's timers. They are coarse, but the only ones that follow the clock of a
// testing/synctest bubble.
func NewPlain() *Alarm {
	a := &Alarm{timer: time.NewTimer(0)}
	<-a.timer.C
	return a
}

// Wait waits for d, or until ctx ends and then returns the error of ctx.
func (a *Alarm) Wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	if a.precise != nil {
		if d < spinBelow {
			spin(d)
			return nil
		}
		return a.precise.sleep(ctx, d)
	}
	a.timer.Reset(d)
	select {
	case <-a.timer.C:
		return nil
	case <-ctx.Done():
		a.timer.Stop()
		return ctx.Err()
	}
}

func spin(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
		continue
	}
}

// Close releases the timer. No Wait may be in progress.
func (a *Alarm) Close() error {
	if a.precise != nil {
		return a.precise.close()
	}
	a.timer.Stop()
	return nil
}
