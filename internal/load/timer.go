package load

import (
	"context"
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/alarm"
)

// timer is the timer of a worker.
type timer interface {
	Wait(ctx context.Context, d time.Duration) error
	Close() error
}

// newTimer returns a worker's timer.
func (c *Config) newTimer() (timer, error) {
	switch {
	case c.PlainTimers:
		return alarm.NewPlain(), nil
	case c.KnownIO:
		return alarm.NewKnown()
	default:
		return alarm.New()
	}
}

// setTimer sets the worker's timer. A worker that keeps to a rate needs a precise one: without it, its operations would
// be late by up to a millisecond, just below the limit of a late send.
func (w *worker) setTimer() error {
	var err error
	if w.alarm, err = w.s.r.newTimer(); err == nil {
		return nil
	}
	w.alarm = alarm.NewPlain()
	if w.g.schedule == nil && w.pace == nil {
		w.s.r.cfg.Logger.Warn("a worker has no precise timer; it does not need one beyond its start", "worker", w.index, "error", err)
		return nil
	}
	return fmt.Errorf("keep worker %d to its rate: %w", w.index, err)
}

// giveUp ends the segment because of a worker's failure.
func (w *worker) giveUp(err error) {
	w.err = err
	w.s.stop(stopOrder{reason: err.Error()})
}
