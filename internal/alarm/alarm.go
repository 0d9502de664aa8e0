package alarm

import (
	"context"
	"fmt"
	"time"
)

// spinBelow is the longest wait that is spent reading the clock: setting an alarm takes about as long.
const spinBelow = 5 * time.Microsecond

// Alarm lets one goroutine wait precisely. It burns no processor time, but for waits below five microseconds.
//
// An Alarm is used by one goroutine at a time.
type Alarm struct {
	precise *kernelTimer // nil where the system has none
	timer   *time.Timer  // used in its place
}

// New makes an Alarm. It fails where the system has precise timers but none to spare, such as when the process may open
// no more files: the runtime's timers are up to a millisecond late. Where the system has no precise timers, those serve.
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

// NewKnown makes an Alarm as New does, whose system calls are announced to the runtime (package rawio).
func NewKnown() (*Alarm, error) {
	a, err := New()
	if err == nil && a.precise != nil {
		a.precise.known = true
	}
	return a, err
}

// NewPlain makes an Alarm of the runtime's timers. They are coarse, but in a bubble of testing/synctest only
// they know what the time is.
func NewPlain() *Alarm {
	a := &Alarm{timer: time.NewTimer(0)}
	<-a.timer.C
	return a
}

// Wait waits for d, or until ctx ends; then it returns the error of ctx.
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

// Close lets go of the Alarm. No Wait may be under way.
func (a *Alarm) Close() error {
	if a.precise != nil {
		return a.precise.close()
	}
	a.timer.Stop()
	return nil
}
