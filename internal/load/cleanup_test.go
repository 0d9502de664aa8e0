package load_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/plan"
)

// buffering is a target whose sessions end slowly.
type buffering struct {
	load.Target
	flush time.Duration
	err   error
}

func (b buffering) Open(ctx context.Context, worker int) (load.Session, error) {
	s, err := b.Target.Open(ctx, worker)
	return bufferingSession{s, b}, err
}

type bufferingSession struct {
	load.Session
	b buffering
}

func (s bufferingSession) Close(ctx context.Context) error {
	<-time.After(s.b.flush)
	return errors.Join(s.b.err, s.Session.Close(ctx))
}

func TestTheEndOfEachSessionIsRecordedBesideTheOperations(t *testing.T) {
	for name, test := range map[string]struct {
		duration time.Duration
		ops      int64
		err      error
		outcome  string
	}{
		"after the last operation": {ops: 40, outcome: "OK"},
		"after the planned end":    {duration: 250 * time.Millisecond, outcome: "OK"},
		"writes were lost":         {ops: 40, err: errors.New("buffer is lost"), outcome: "ERROR"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := readers()
				w.OperationCount = test.ops
				s := settings(w, 4)
				s.Duration = test.duration
				r := newRig(t, s, buffering{nullTarget(t, "30ms"), 700 * time.Millisecond, test.err})
				r.in(t, 0, plan.Measure)
				r.finish(t)
				end := r.end(t, plan.Measure)
				ordered(t, r.windows, end)
				require.ErrorIs(t, end.Err, test.err)
				last := r.windows[len(r.windows)-1]
				require.LessOrEqual(t, last.End, 300*time.Millisecond, "the time it takes is not the phase's")
				var all latency.Merged
				for _, window := range r.windows {
					require.NoError(t, all.Add(window.Series))
				}
				key := latency.Key{Op: "CLEANUP", Outcome: test.outcome, PartOf: "CLEANUP"}
				for _, series := range all.Series() {
					if series.Key.Op == "CLEANUP" {
						require.Equal(t, key, series.Key)
						require.EqualValues(t, 4, series.Response.Count(), "one for each worker")
						require.EqualValues(t, 700*time.Millisecond, series.Service.Max())
						return
					}
				}
				require.Fail(t, "no CLEANUP")
			})
		})
	}
}
