// Package resultstest makes suites in an archive, with windows like those of agents, for tests of code that reads archives.
package resultstest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/all"
)

// Archive is the archive of a test's suites.
type Archive interface {
	CreateSuite(ctx context.Context, suite archive.Suite, runs []archive.RunRecord) error
	AddWindows(ctx context.Context, windows []latency.Window) ([]archive.Receipt, error)
	Apply(ctx context.Context, change archive.Change) error
}

// Open opens an archive that lasts as long as the test.
func Open(t testing.TB) *sqlite.Archive {
	t.Helper()
	store, err := sqlite.Open(t.Context(), t.TempDir(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close(context.WithoutCancel(t.Context()))) })
	return store
}

// Run is a run with generated windows.
type Run struct {
	Record          *record.Run
	Agents, Windows int
	Variants        [][]latency.Series // of which each window has one
	lateness        *latency.Histogram
	idle            []float64
}

// variants is how many windows differ.
const variants = 61

// NewRun stores a suite of one run in progress.
func NewRun(t testing.TB, store Archive, id string, agents, windows, ops, samples int) *Run {
	t.Helper()
	return newRun(t, store, archive.Suite{ID: id, Created: time.Unix(1, 0).UTC()}, agents, windows, ops, samples)
}

func newRun(t testing.TB, store Archive, stored archive.Suite, agents, windows, ops, samples int) *Run {
	t.Helper()
	id := stored.ID
	length := time.Duration(windows) * time.Second
	suite, _, err := all.Targets().Reader().Parse(spec.Submission{Properties: []spec.Setting{
		{Key: "db", Value: "null"},
		{Key: "recordcount", Value: "1000"},
		{Key: "operationcount", Value: "0"},
		{Key: "duration", Value: length.String()},
		{Key: "interval", Value: "1s"},
	}})
	require.NoError(t, err)
	stored.Status, stored.DB, stored.Spec = result.Running, "null", json.RawMessage(`{}`)
	records, err := record.NewRuns(id, *suite, record.Ask{Agents: agents, OnLoss: lifecycle.FailOnLoss})
	require.NoError(t, err)
	r, err := record.Open(all.Targets().Reader(), stored, records[0])
	require.NoError(t, err)
	life := r.State.Life
	life.Status, life.Phase = result.Running, 0
	for i := range agents {
		name := fmt.Sprintf("agent-%d", i)
		life.Shards = append(life.Shards, lifecycle.Shard{Agent: name, Attempt: 1, State: lifecycle.Busy})
		r.State.Agents = append(r.State.Agents, result.Agent{Name: name, Shard: i, Attempt: 1, Hostname: name, Workers: 8})
	}
	records[0], err = r.ToArchive()
	require.NoError(t, err)
	require.NoError(t, store.CreateSuite(t.Context(), stored, records))

	l := &Run{Record: r, Agents: agents, Windows: windows, lateness: new(latency.Histogram)}
	rng := rand.New(rand.NewPCG(1, 2))
	for range variants {
		var series []latency.Series
		for i, op := range []string{"READ", "UPDATE", "INSERT", "SCAN", "DELETE"}[:ops] {
			response, service := new(latency.Histogram), new(latency.Histogram)
			for range samples {
				ns := int64(float64(400_000*(i+1)) * math.Exp(0.5*rng.NormFloat64()))
				service.Record(ns)
				response.Record(ns + int64(50_000*rng.ExpFloat64()))
			}
			series = append(series, latency.Series{Key: latency.Key{Op: op, Outcome: "OK"}, Response: received(t, response), Service: received(t, service)})
		}
		l.Variants = append(l.Variants, series)
		l.idle = append(l.idle, rng.Float64())
	}
	for range 100 {
		l.lateness.Record(int64(20_000 * rng.ExpFloat64()))
	}
	l.lateness = received(t, l.lateness)
	return l
}

// received is a histogram as received from an agent.
func received(t testing.TB, h *latency.Histogram) *latency.Histogram {
	t.Helper()
	b, err := h.AppendBinary(nil)
	require.NoError(t, err)
	h, err = latency.DecodeHistogram(b)
	require.NoError(t, err)
	return h
}

// Window makes a window; it is always the same one.
func (l *Run) Window(shard, seq int) *latency.Window {
	variant := (shard*7 + seq*3 + seq/variants) % variants
	series := l.Variants[variant]
	done := latency.Ops(series)
	return &latency.Window{
		ID:    latency.WindowID{Run: l.Record.Archived.ID, Phase: string(plan.Measure), Shard: shard, Attempt: 1, Seq: seq},
		Start: time.Duration(seq) * time.Second, End: time.Duration(seq+1) * time.Second, Last: seq == l.Windows-1,
		Series: series, Rows: done, Bytes: 1000 * done, Issued: uint64(seq+1) * done, Recorded: uint64(seq+1) * done,
		Health: latency.Health{
			Cores: 16, HostIdle: l.idle[variant], OwnCPU: 2 + l.idle[variants-1-variant], NetRx: 2_500_123, NetTx: 300_456,
			GCPauses: 3, GCPauseTotal: 90_123, GCPauseMax: 40_012, SchedLagP99: 20_480, SchedLagMax: 80_123,
		},
		Lateness: l.lateness,
	}
}

// Add archives the windows of all agents from a number on, and returns those that are held back.
func (l *Run) Add(t testing.TB, store Archive, from, to int) (late []latency.Window) {
	t.Helper()
	var batch []latency.Window
	flush := func() {
		receipts, err := store.AddWindows(t.Context(), batch)
		require.NoError(t, err)
		for _, r := range receipts {
			require.NoError(t, r.Err)
			require.True(t, r.Fresh)
		}
		batch = batch[:0]
	}
	for seq := from; seq < to; seq++ {
		for shard := range l.Agents {
			w := l.Window(shard, seq)
			if seq%997 == 13 && shard == 0 {
				late = append(late, *w)
				continue
			}
			batch = append(batch, *w)
		}
		if len(batch) >= 600 {
			flush()
		}
	}
	flush()
	return late
}

// All yields all windows in the order of the archive.
func (l *Run) All(yield func(*latency.Window, error) bool) {
	for seq := range l.Windows {
		for shard := range l.Agents {
			if !yield(l.Window(shard, seq), nil) {
				return
			}
		}
	}
}

// Ended stores a suite with an ended run of two agents, with a number of windows and a time of its end.
func Ended(t testing.TB, store Archive, id string, windows int, after time.Duration, status result.Status) {
	t.Helper()
	l := NewRun(t, store, id, 2, windows, 2, 50)
	l.Add(t, store, 0, windows)
	l.end(t, store, after, status)
}

// Nightly stores an ended suite of a name, such as the one of a night, whose run has a throughput in operations per second.
func Nightly(t testing.TB, store Archive, id, name string, created time.Time, throughput int) {
	t.Helper()
	const windows = 3
	l := newRun(t, store, archive.Suite{ID: id, Name: name, Created: created}, 1, windows, 1, throughput)
	l.Add(t, store, 0, windows)
	l.end(t, store, time.Duration(created.UnixNano()), result.Complete)
}

// end ends the run.
func (l *Run) end(t testing.TB, store Archive, after time.Duration, status result.Status) {
	t.Helper()
	id := l.Record.Suite.ID
	l.Record.State.Life.Status = status
	archived, err := l.Record.ToArchive()
	require.NoError(t, err)
	archived.Status, archived.Ended = status, time.Unix(0, 0).Add(after)
	require.NoError(t, store.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{archived}, Suite: id, Status: status}))
}
