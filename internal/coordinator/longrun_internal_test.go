package coordinator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target"
)

// fourDays asks for the full size of TestALongRunIsRolledUpUnseen: make bench-archive.
var fourDays = flag.Bool("four-days", false, "make the long run four days long, with 6 agents and 5 operations, and judge its size")

// longWindows lets somebody make it shorter who looks for where the time goes.
var longWindows = flag.Int("long-windows", 4*24*3600, "with -four-days, how many windows each agent sends")

// longRun is a run with made-up windows.
type longRun struct {
	run             *record.Run
	agents, windows int
	variants        [][]latency.Series
	lateness        *latency.Histogram
	idle            []float64
}

const longVariants = 61

// newLongRunOf stores a suite of one run whose agents are at work.
func newLongRunOf(t *testing.T, c *Coordinator, id string, agents, windows, ops, samples int) *longRun {
	t.Helper()
	length := time.Duration(windows) * time.Second
	suite, _, err := target.Reader().Parse(spec.Submission{Properties: []spec.Setting{
		{Key: "db", Value: "null"},
		{Key: "recordcount", Value: "1000"},
		{Key: "operationcount", Value: "0"},
		{Key: "duration", Value: length.String()},
		{Key: "interval", Value: "1s"},
	}}, "null")
	require.NoError(t, err)
	stored := archive.Suite{ID: id, Status: result.Running, Created: time.Unix(1, 0).UTC(), DB: "null", Spec: json.RawMessage(`{}`)}
	records, err := record.NewRuns(id, *suite, record.Ask{Agents: agents, OnLoss: lifecycle.FailOnLoss})
	require.NoError(t, err)
	r, err := record.Open(target.Reader(), stored, records[0])
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
	require.NoError(t, c.archive.CreateSuite(t.Context(), stored, records))

	l := &longRun{run: r, agents: agents, windows: windows, lateness: new(latency.Histogram)}
	rng := rand.New(rand.NewPCG(1, 2))
	for range longVariants {
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
		l.variants = append(l.variants, series)
		l.idle = append(l.idle, rng.Float64())
	}
	for range 100 {
		l.lateness.Record(int64(20_000 * rng.ExpFloat64()))
	}
	l.lateness = received(t, l.lateness)
	return l
}

// received is a histogram as it comes from an agent.
func received(t *testing.T, h *latency.Histogram) *latency.Histogram {
	t.Helper()
	b, err := h.AppendBinary(nil)
	require.NoError(t, err)
	h, err = latency.DecodeHistogram(b)
	require.NoError(t, err)
	return h
}

// window makes a window; it is always the same one.
func (l *longRun) window(shard, seq int) *latency.Window {
	variant := (shard*7 + seq*3 + seq/longVariants) % longVariants
	series := l.variants[variant]
	done := latency.Ops(series)
	return &latency.Window{
		ID:    latency.WindowID{Run: l.run.Archived.ID, Phase: string(plan.Measure), Shard: shard, Attempt: 1, Seq: seq},
		Start: time.Duration(seq) * time.Second, End: time.Duration(seq+1) * time.Second, Last: seq == l.windows-1,
		Series: series, Rows: done, Bytes: 1000 * done, Issued: uint64(seq+1) * done, Recorded: uint64(seq+1) * done,
		Health: latency.Health{
			Cores: 16, HostIdle: l.idle[variant], OwnCPU: 2 + l.idle[longVariants-1-variant], NetRx: 2_500_123, NetTx: 300_456,
			GCPauses: 3, GCPauseTotal: 90_123, GCPauseMax: 40_012, SchedLagP99: 20_480, SchedLagMax: 80_123,
		},
		Lateness: l.lateness,
	}
}

// add archives the windows of all agents from a number on, and returns those that are held back for later.
func (l *longRun) add(t *testing.T, c *Coordinator, from, to int) (late []latency.Window) {
	t.Helper()
	var batch []latency.Window
	flush := func() {
		receipts, err := c.archive.AddWindows(t.Context(), batch)
		require.NoError(t, err)
		for _, r := range receipts {
			require.NoError(t, r.Err)
			require.True(t, r.Fresh)
		}
		batch = batch[:0]
	}
	for seq := from; seq < to; seq++ {
		for shard := range l.agents {
			w := l.window(shard, seq)
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

// rollUpAll rolls up what can be, without pauses.
func rollUpAll(t *testing.T, c *Coordinator) {
	t.Helper()
	extents, err := c.archive.Extents(t.Context(), "")
	require.NoError(t, err)
	for _, e := range extents {
		roll, ok, err := c.rollOf(t.Context(), e)
		require.NoError(t, err)
		if ok {
			require.NoError(t, c.archive.RollUp(t.Context(), roll, func(ctx context.Context) error { return ctx.Err() }))
		}
	}
}

// intervalsOf are a run's histograms, interval by interval, as they are streamed.
func intervalsOf(step time.Duration, windows func(yield func(*latency.Window, error) bool)) ([]string, error) {
	var list []string
	m := merger{interval: time.Second, step: func(string) time.Duration { return step }, send: func(phase string, iv *interval) error {
		text := fmt.Appendf(nil, "%s %s %s %v", phase, iv.start, iv.end, iv.tail)
		for _, s := range iv.merged.Series() {
			response, _ := s.Response.AppendBinary(nil)
			service, _ := s.Service.AppendBinary(nil)
			text = fmt.Appendf(text, " %s %x %x", s.Key, fnv(response), fnv(service))
		}
		list = append(list, string(text))
		return nil
	}}
	for w, err := range windows {
		if err != nil {
			return nil, err
		}
		if err := m.add(w); err != nil {
			return nil, err
		}
	}
	return list, m.flush()
}

func fnv(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// all yields all windows in the order of the archive.
func (l *longRun) all(yield func(*latency.Window, error) bool) {
	for seq := range l.windows {
		for shard := range l.agents {
			if !yield(l.window(shard, seq), nil) {
				return
			}
		}
	}
}

// expected is what a run's windows tell as they were sent, without any archive.
type expected struct {
	document  []byte
	intervals []string
	err       error
}

// expect works out what is expected, beside the test: it is half of the work.
func (l *longRun) expect(step time.Duration) <-chan expected {
	done := make(chan expected, 1)
	go func() {
		var e expected
		intervals := make(chan error)
		go func() {
			var err error
			e.intervals, err = intervalsOf(step, l.all)
			intervals <- err
		}()
		err := func() error {
			b := l.run.Builder(map[plan.PhaseName]time.Duration{plan.Measure: time.Duration(l.windows) * time.Second})
			for w := range l.all {
				if _, err := b.Add(w); err != nil {
					return err
				}
			}
			doc, err := b.Document(l.run.Header("test"), result.Notes{Events: map[string][]result.Event{}})
			if err == nil {
				e.document, err = json.Marshal(doc)
			}
			return err
		}()
		e.err = errors.Join(err, <-intervals)
		done <- e
	}()
	return done
}

// sizeOf is how long an archive's files are.
func sizeOf(t *testing.T, dir string) (total int64) {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		total += info.Size()
	}
	return total
}

// cpuTime is what this process has used of all processors.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// The archive of a long run is rolled up as it grows, and nothing of it can be seen: its result is byte for byte that of
// the windows as they were sent, and so are its histograms in every interval that it shows. The run is an open loop:
// there are two times of each operation, and the lateness of its send.
func TestALongRunIsRolledUpUnseen(t *testing.T) {
	agents, windows, ops, samples, portion := 2, 10_400, 1, 6, 2600
	if *fourDays {
		agents, windows, ops, samples, portion = 6, *longWindows, 5, 500, 600
	}
	dir := t.TempDir()
	open := func() *Coordinator {
		store, err := archive.Open(t.Context(), dir, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		return &Coordinator{archive: store, config: Config{Version: "test", Reader: target.Reader()}, log: slog.New(slog.DiscardHandler)}
	}
	c := open()
	l := newLongRunOf(t, c, "S", agents, windows, ops, samples)
	l.run.State.Life.Status = result.Complete
	for i := range l.run.State.Life.Shards {
		done := latency.Ops(l.variants[0]) * uint64(windows)
		l.run.State.Life.Shards[i].Ended = []lifecycle.Ended{{Phase: plan.Measure, Windows: windows, Issued: done, Recorded: done, Merged: true, Final: true}}
	}
	step := result.PointLength(time.Second, time.Duration(windows)*time.Second)
	require.Greater(t, step, time.Second)
	expect := l.expect(step)

	began := time.Now()
	var late []latency.Window
	largest := int64(0)
	for i, from := 0, 0; from < windows; i, from = i+1, from+portion {
		late = append(late, l.add(t, c, from, min(from+portion, windows))...)
		largest = max(largest, sizeOf(t, dir))
		rollUpAll(t, c)
		if i%3 == 2 || from+portion >= windows { // what was held back comes late
			_, err := c.archive.AddWindows(t.Context(), late)
			require.NoError(t, err)
			late = nil
		}
		if i%20 == 19 {
			t.Logf("%s of the run: %.1f MB", time.Duration(from+portion)*time.Second, float64(sizeOf(t, dir))/1e6)
		}
	}
	archived, err := l.run.ToArchive()
	require.NoError(t, err)
	require.NoError(t, c.archive.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{archived}, Suite: "S", Status: result.Complete}))
	rollUpAll(t, c)
	largest = max(largest, sizeOf(t, dir))
	require.NoError(t, c.archive.Tidy(t.Context()))
	made := time.Since(began)
	require.NoError(t, c.archive.Close(t.Context()))
	size := sizeOf(t, dir)

	began = time.Now()
	c = open()
	opened := time.Since(began)
	defer func() { require.NoError(t, c.archive.Close(context.WithoutCancel(t.Context()))) }()

	used := cpuTime(t)
	shown, err := c.resultJSON(t.Context(), "S")
	require.NoError(t, err)
	used = cpuTime(t) - used
	stored, err := intervalsOf(step, c.archive.Windows(t.Context(), l.run.Archived.ID))
	require.NoError(t, err)
	sent := <-expect
	require.NoError(t, sent.err)
	require.True(t, bytes.Equal(sent.document, shown), "the result should be that of the windows as they were sent:\n%s\n%s", head(sent.document), head(shown))
	require.Equal(t, sent.intervals, stored)
	extents, err := c.archive.Extents(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, int(step/time.Second), extents[0].Rolled)
	require.GreaterOrEqual(t, extents[0].RolledTo, windows)
	t.Logf("%d windows of %d agents, %d operations with %d samples each, in an open loop: archived in %s of wall time; all of the test %s of CPU",
		windows, agents, ops, samples, made.Round(time.Second), cpuTime(t).Round(time.Second))
	t.Logf("the archive has %.1f MB, and had %.1f MB at most; it opens in %s; showing the run takes at most %s of CPU; result and histograms of %d points of %s are those of what was sent",
		float64(size)/1e6, float64(largest)/1e6, opened.Round(time.Millisecond), used.Round(time.Millisecond), len(stored), step)
	if *fourDays {
		require.Less(t, largest, int64(1e9), "bytes")
		require.Less(t, opened, 3*time.Second)
	}
}

func head(text []byte) string {
	const some = 3000
	return strings.ToValidUTF8(string(text[:min(len(text), some)]), "?")
}
