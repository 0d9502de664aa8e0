package load_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// ahead is how many operations a session may send before all others have sent one. They take milliseconds: a thread can
// lose its processor between the gate and its first operation.
const ahead = 10_000

// starters counts, over several targets, the sessions that have sent an operation, and those that were far ahead of
// another.
type starters struct {
	workers       int64
	started, hare atomic.Int64
}

// counted is a target whose sessions are counted.
type counted struct {
	load.Target
	s *starters
}

// Open opens a counted session.
func (c counted) Open(ctx context.Context, worker int) (load.Session, error) {
	session, err := c.Target.Open(ctx, worker)
	return &countedSession{Session: session, s: c.s}, err
}

type countedSession struct {
	load.Session
	s    *starters
	sent int
}

// Do counts the session's first operations.
func (c *countedSession) Do(ctx context.Context, op *workload.Op) workload.Outcome {
	switch c.sent++; {
	case c.sent == 1:
		c.s.started.Add(1)
	case c.sent == ahead && c.s.started.Load() < c.s.workers:
		c.s.hare.Add(1)
	}
	return c.Session.Do(ctx, op)
}

// startAt starts the measure phase at an instant of the process.
func (r *rig) startAt(t *testing.T, at time.Time) {
	t.Helper()
	require.NoError(t, r.Start(plan.Measure, r.base.RunTime(r.clock.Now()+int64(time.Until(at))), r.base))
}

func TestNoWorkerOfAProcessSpinsBeforeAllHaveBegun(t *testing.T) {
	const agents, threads = 3, 8
	s := &starters{workers: agents * threads}
	gate := new(load.Gate)
	w := readers()
	w.OperationCount = threads * 5 * ahead
	var rigs []*rig
	for range agents {
		rigs = append(rigs, newRig(t, settings(w, threads), counted{nullTarget(t, "0"), s}, func(c *load.Config) { c.Gate = gate }))
	}
	at := time.Now().Add(2 * time.Second) // late enough for all to be started before
	for _, r := range rigs {
		r.startAt(t, at)
	}
	for _, r := range rigs {
		r.finish(t)
	}
	require.EqualValues(t, agents*threads, s.started.Load())
	require.Zero(t, s.hare.Load(), "workers that were %d operations ahead of one that had not started", ahead)
}

// A stopped worker, one without operations and one that waits for its schedule hold no other worker at the gate.
func TestTheGateWaitsForNoAbsentWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := new(load.Gate)
		shared := func(c *load.Config) { c.Gate = gate }
		few, many := readers(), readers()
		few.OperationCount, many.OperationCount = 2, 400
		idle := newRig(t, settings(few, 4), nullTarget(t, "1ms"), shared)
		stopped := newRig(t, settings(many, 4), nullTarget(t, "1ms"), shared)
		paced := newRig(t, openLoop(settings(few, 4), 1), nullTarget(t, "1ms"), shared)
		busy := newRig(t, settings(many, 4), nullTarget(t, "1ms"), shared)
		later := newRig(t, settings(many, 4), nullTarget(t, "1ms"), shared)
		at := time.Now().Add(time.Second)
		for _, r := range []*rig{idle, stopped, paced, busy} {
			r.startAt(t, at)
		}
		later.startAt(t, at.Add(50*time.Millisecond))
		<-time.After(500 * time.Millisecond)
		stopped.Stop("cancelled by ann")
		for _, r := range []*rig{idle, stopped, paced, busy, later} {
			r.finish(t)
		}
		require.Empty(t, stopped.started)
		require.Equal(t, 100*time.Millisecond, busy.end(t, plan.Measure).At)
		require.Equal(t, 100*time.Millisecond, later.end(t, plan.Measure).At, "a start of its own")
		require.EqualValues(t, 2, idle.end(t, plan.Measure).Recorded)
		require.EqualValues(t, 2, paced.end(t, plan.Measure).Recorded)
	})
}

func TestAWorkerWithoutATimerHoldsUpNoOtherAgentAtTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := new(load.Gate)
		s := openLoop(settings(readers(), 2), 1000)
		s.Duration = time.Second
		broken := newRig(t, s, nullTarget(t, "1ms"), func(c *load.Config) { c.Gate = gate })
		broken.UseTimers(func() (load.Timer, error) { return nil, errTimer })
		other := newRig(t, s, nullTarget(t, "1ms"), func(c *load.Config) { c.Gate = gate })
		at := time.Now().Add(time.Second)
		broken.startAt(t, at)
		other.startAt(t, at)
		broken.finish(t)
		other.finish(t)
		require.ErrorIs(t, broken.end(t, plan.Measure).Err, errTimer)
		require.EqualValues(t, 1000, other.end(t, plan.Measure).Recorded)
	})
}
