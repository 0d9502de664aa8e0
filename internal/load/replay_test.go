package load_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/workload"
)

// notebook is a target that notes its operations. Those on the key slow take a second.
type notebook struct {
	mu    sync.Mutex
	birth time.Time
	lines []string
}

func (n *notebook) Open(context.Context, int) (load.Session, error) { return note{n}, nil }
func (*notebook) Close() error                                      { return nil }

// note is a session of a notebook.
type note struct{ *notebook }

func (note) Close(context.Context) error { return nil }

func (n note) Do(ctx context.Context, op *workload.Op) workload.Outcome {
	size := 0
	for _, v := range op.Values {
		size += len(v)
	}
	n.mu.Lock()
	n.lines = append(n.lines, fmt.Sprintf("%v %s %s %d", time.Since(n.birth).Round(time.Millisecond), op.Kind, op.Key, size))
	n.mu.Unlock()
	if string(op.Key) == "slow" && op.Kind != workload.Insert {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
	return workload.Outcome{Code: workload.OK, Rows: 1}
}

// traceOf makes the file of entries.
func traceOf(t *testing.T, entries ...trace.Entry) *trace.File {
	t.Helper()
	var file bytes.Buffer
	w, err := trace.NewWriter(&file)
	require.NoError(t, err)
	for _, e := range entries {
		require.NoError(t, w.Add(e))
	}
	_, err = w.Close(trace.Info{})
	require.NoError(t, err)
	f, err := trace.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	return f
}

func TestATraceIsLoadedAndReplayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = int64(time.Millisecond)
		file := traceOf(
			t,
			trace.Entry{At: 0, Kind: workload.Read, Key: []byte("a"), Size: 7},
			trace.Entry{At: 100 * ms, Kind: workload.Update, Key: []byte("slow"), Size: 5},
			trace.Entry{At: 200 * ms, Kind: workload.Insert, Key: []byte("new"), Size: 3},
			trace.Entry{At: 300 * ms, Kind: workload.Read, Key: []byte("slow")},
			trace.Entry{At: 300 * ms, Kind: workload.Delete, Key: []byte("a")},
			trace.Entry{At: 4000 * ms, Kind: workload.Read, Key: []byte("a")},
		)
		s := settings(readers(), 8)
		s.Load, s.Trace, s.Speed = true, &file.Card, 2
		s.Pacing = pacing.Config{Arrival: pacing.Replay}
		s.Workload.RecordCount, s.Workload.OperationCount = file.Card.Rows, file.Card.Ops
		s.Workload.Proportions = workload.Proportions{Read: 1, Update: 1, Insert: 1, Delete: 1}
		book := &notebook{birth: time.Now()}
		r := newRig(t, s, book, func(c *load.Config) { c.Trace = file })
		r.in(t, 0, plan.Load)
		<-r.final
		slices.Sort(book.lines)
		require.Equal(t, []string{"0s INSERT a 7", "0s INSERT slow 5"}, book.lines)

		book.lines, book.birth = nil, time.Now()
		r.in(t, 0, plan.Measure)
		r.finish(t)
		slices.Sort(book.lines)
		require.Equal(t, []string{
			"0s READ a 0", "1.05s READ slow 0", "100ms INSERT new 3", "150ms DELETE a 0", "2s READ a 0", "50ms UPDATE slow 5",
		}, book.lines, "the read of the slow key waits for its update, and others for nothing")

		var reads latency.Merged
		for _, w := range r.of(plan.Measure) {
			require.NoError(t, reads.Add(slices.DeleteFunc(slices.Clone(w.Series), func(s latency.Series) bool { return s.Key.Op != "READ" })))
			require.Zero(t, w.Health.LateSends, "the worker of the slow key was busy")
		}
		end := r.end(t, plan.Measure)
		require.EqualValues(t, 6, end.Recorded)
		require.NoError(t, end.Err)
		require.EqualValues(t, 1900*time.Millisecond, reads.Series()[0].Response.Max(), "the response time counts from the instant of the trace")
	})
}
