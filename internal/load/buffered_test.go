package load_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// buffered is a target whose sessions collect writes and send them together.
type buffered struct {
	load.Target

	size    int           // writes that fill a buffer
	flush   time.Duration // how long the target takes for a buffer
	refuse  int64         // number of the write that the target refuses, counted from 1 over all sessions; 0 for none
	seen    *atomic.Int64 // writes that have reached the target
	written *atomic.Int64 // writes that it has acknowledged
}

func newBuffered(t *testing.T, size int, flush time.Duration) buffered {
	t.Helper()
	return buffered{nullTarget(t, "100us"), size, flush, 0, new(atomic.Int64), new(atomic.Int64)}
}

func (b buffered) Open(ctx context.Context, worker int) (load.Session, error) {
	s, err := b.Target.Open(ctx, worker)
	return &bufferedSession{Session: s, b: b}, err
}

type bufferedSession struct {
	load.Session
	b    buffered
	held int
	use  load.BufferUse
	lost []load.Lost
}

var errRefused = errors.New("the target refuses the write")

func (s *bufferedSession) Do(ctx context.Context, op *workload.Op) workload.Outcome {
	out := s.Session.Do(ctx, op)
	out.Code = workload.BatchedOK
	if s.held++; s.held < s.b.size {
		s.use = load.Held
		return out
	}
	last := s.held - 1
	s.send()
	s.use = load.Sent
	if n := len(s.lost); n > 0 && s.lost[n-1].Write == last {
		s.lost = s.lost[:n-1]
		return workload.Outcome{Code: workload.Error, Err: errRefused}
	}
	return out
}

func (s *bufferedSession) Buffer() load.BufferUse { return s.use }

func (s *bufferedSession) Close(ctx context.Context) error {
	if s.held > 0 {
		s.send()
	}
	err := s.Session.Close(ctx)
	if len(s.lost) > 0 {
		err = errRefused
	}
	return err
}

func (s *bufferedSession) send() {
	<-time.After(s.b.flush)
	s.lost = nil
	for write := range s.held {
		if s.b.seen.Add(1) == s.b.refuse {
			s.lost = append(s.lost, load.Lost{Write: write, Rows: 1, Code: workload.Error, Err: errRefused})
			continue
		}
		s.b.written.Add(1)
	}
	s.held = 0
}

func (s *bufferedSession) Lost() []load.Lost { return s.lost }

// A load through buffers is broken off after each of its windows: the windows count the rows that the target had
// acknowledged, and a successor counts the rest.
func TestARowOfABufferCountsWhenItIsAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rows, workers = 3001, 4
		target := newBuffered(t, 150, 60*time.Millisecond)
		s := loading(loaders(rows, 1), workers)
		var acknowledged []int64
		r := newRig(t, s, target, func(c *load.Config) {
			emit := c.Emit
			c.Emit = func(w *latency.Window) {
				acknowledged = append(acknowledged, target.written.Load())
				emit(w)
			}
		})
		r.in(t, time.Millisecond, plan.Load)
		r.finish(t)
		require.Greater(t, len(r.windows), 3)

		var ops, counted int64
		for i, w := range r.windows {
			ops += insertsIn(w)
			counted += int64(w.Rows)
			require.Equal(t, counted, ops, "window %d", i)
			require.LessOrEqual(t, counted, acknowledged[i], "window %d counts rows that are only in a buffer", i)
			if w.Last {
				break
			}
			again := newRig(t, s, newBuffered(t, 150, 60*time.Millisecond), func(c *load.Config) {
				c.Shard.Attempt, c.Shard.Loaded = 2, w.Loaded
			})
			again.in(t, time.Millisecond, plan.Load)
			again.finish(t)
			sum := counted
			for _, w := range again.windows {
				require.EqualValues(t, w.Rows, insertsIn(w))
				sum += int64(w.Rows)
			}
			require.EqualValues(t, rows, sum, "each row once, when the load is broken off after window %d", i)
		}
		require.EqualValues(t, rows, ops)
		require.EqualValues(t, rows, target.written.Load())
	})
}

// All rows of the load are sent when its sessions end.
func TestALoadLastsUntilItsLastFlushIsAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rows, flush = 1000, 2300 * time.Millisecond
		r := newRig(t, loading(loaders(rows, 1), 2), newBuffered(t, rows, flush))
		r.in(t, time.Millisecond, plan.Load)
		r.finish(t)
		end := r.end(t, plan.Load)
		ordered(t, r.windows, end)
		require.NoError(t, end.Err)
		require.GreaterOrEqual(t, end.At, flush)
		_, ops, length := merged(t, r.windows)
		require.EqualValues(t, rows, ops)
		require.GreaterOrEqual(t, length, flush, "rows are acknowledged by the last flush alone")
		require.Greater(t, len(r.windows), 20, "windows are cut while buffers are sent")
		for _, w := range r.windows[:20] {
			require.Zero(t, w.Rows)
		}
	})
}

// The target refuses one write of a buffer.
func TestWritesThatABufferLostAreFailures(t *testing.T) {
	for name, test := range map[string]struct {
		refuse int64
		goOn   bool
		ops    int64 // that are recorded
	}{
		"in a full buffer":            {refuse: 130, ops: 200},
		"the last of a full buffer":   {refuse: 200, ops: 200},
		"at the end":                  {refuse: 430, ops: 450},
		"in a full buffer, and go on": {refuse: 130, goOn: true, ops: 450},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				target := newBuffered(t, 100, 10*time.Millisecond)
				target.refuse = test.refuse
				w := loaders(450, 1)
				w.InsertionKeepGoing = test.goOn
				r := newRig(t, loading(w, 1), target)
				r.in(t, time.Millisecond, plan.Load)
				r.finish(t)
				end := r.end(t, plan.Load)
				if test.goOn {
					require.NoError(t, end.Err)
				} else {
					require.ErrorIs(t, end.Err, errRefused)
				}
				counts := make(map[string]int64)
				var rows int64
				for _, w := range r.windows {
					rows += int64(w.Rows)
					for _, s := range w.Series {
						if s.Key.PartOf == "" {
							counts[s.Key.Outcome] += int64(s.Response.Count())
						}
					}
				}
				require.Equal(t, map[string]int64{"BATCHED_OK": test.ops - 1, "ERROR": 1}, counts)
				require.Equal(t, target.written.Load(), rows)
			})
		})
	}
}

// Updates are measured for a given time.
func TestWritesBufferedAtAPhasesEndBelongToItsTail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := readers()
		w.Proportions = workload.Proportions{Update: 1}
		s := settings(w, 2)
		s.Duration = 250 * time.Millisecond
		target := newBuffered(t, 300, 30*time.Millisecond)
		r := newRig(t, s, target)
		r.in(t, time.Millisecond, plan.Measure)
		r.finish(t)
		end := r.end(t, plan.Measure)
		ordered(t, r.windows, end)
		all, ops, length := merged(t, r.windows)
		require.Equal(t, s.Duration, length)
		require.EqualValues(t, target.written.Load(), latency.Ops(all.Series()))
		require.Zero(t, ops%300, "whole buffers")
		require.Less(t, ops, latency.Ops(all.Series()))
	})
}

// staged is a buffered target whose buffers are sent in two stages.
type staged struct{ buffered }

func (staged) Stages() []string { return []string{"WRITE", "SEND"} }

func (s staged) Open(ctx context.Context, worker int) (load.Session, error) {
	session, err := s.buffered.Open(ctx, worker)
	return &stagedSession{bufferedSession: session.(*bufferedSession)}, err
}

type stagedSession struct {
	*bufferedSession
	sent int64 // buffers whose stages were taken
}

func (s *stagedSession) Stages(take func(stage int, took time.Duration)) {
	if s.held == 0 && s.b.seen.Load() > s.sent {
		s.sent = s.b.seen.Load()
		take(0, 2*time.Millisecond)
		take(1, 3*time.Millisecond)
	}
}

// The last buffer is sent by the end of the session.
func TestStagesOfInsertsAreSeriesOfTheirOwn(t *testing.T) {
	for name, test := range map[string]struct {
		target func(b buffered) load.Target
		want   map[latency.Key]int64
	}{
		"with stages": {func(b buffered) load.Target { return staged{b} }, map[latency.Key]int64{
			{Op: "WRITE", Outcome: "OK", PartOf: "INSERT"}: 4 * 2e6, {Op: "SEND", Outcome: "OK", PartOf: "INSERT"}: 4 * 3e6,
		}},
		"without": {func(b buffered) load.Target { return b }, map[latency.Key]int64{}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, loading(loaders(350, 1), 1), test.target(newBuffered(t, 100, 10*time.Millisecond)))
				r.in(t, time.Millisecond, plan.Load)
				r.finish(t)
				sums := make(map[latency.Key]int64)
				for _, w := range r.windows {
					for _, s := range w.Series {
						if s.Key.PartOf == "INSERT" {
							require.Equal(t, s.Response.Sum(), s.Service.Sum())
							sums[s.Key] += int64(s.Response.Sum())
						}
					}
				}
				require.Equal(t, test.want, sums)
				_, ops, _ := merged(t, r.windows)
				require.EqualValues(t, 350, ops, "parts are no operations")
			})
		})
	}
}
