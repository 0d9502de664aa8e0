//go:build integration

package e2e

import (
	"bufio"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/test/testcluster"
)

// TestClocksThatDiffer runs three agents whose clocks are hours apart and drift. The truth comes from the machine's own clock: the null target writes it into its log, and agents into
// theirs.
func TestClocksThatDiffer(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	skews := map[string][]string{
		"a": {"--debug-clock-offset=-37s", "--debug-clock-drift=200ppm"},
		"b": {"--debug-clock-offset=0s"},
		"c": {"--debug-clock-offset=3h", "--debug-clock-drift=-200ppm"},
	}
	agents := map[string]*testcluster.Process{}
	for name, skew := range skews {
		agents[name] = h.Agent(name, append(skew, "--log-level", "debug")...)
	}
	h.Connected(3)
	run := func(length string) (r result.Run, ops string) {
		t.Helper()
		ops = filepath.Join(t.TempDir(), "ops")
		stdout, stderr, code := h.Ctl("submit", "--db", "null", "-p", "recordcount=1000", "-p", "null.log="+ops,
			"-p", "null.service=constant 1ms", "--threads", "2", "--duration", length, "--wait", "-o", "json")
		require.Zero(t, code, stderr)
		return testcluster.Parse(t, stdout), ops
	}
	r, ops := run("60s")
	testcluster.RequireConsistent(t, r, 3)
	series := r.Phases[0].Series
	require.Equal(t, 61, len(series), "60 windows and what was in flight: none is lost, none comes twice") //nolint:testifylint // prints the number, not the series
	require.True(t, series[60].Tail)

	// benchd does not control how soon the operating system schedules three processes.
	started, log := r, ops
	tries := 0
	tolerance.Retry(t, func(try *tolerance.Try) {
		if tries++; tries > 1 {
			started, log = run("1s")
		}
		startTogether(t, try, started, log)
	})

	offsets := map[string]float64{"a": -37_000, "b": 0, "c": 3 * 3600_000}
	for _, a := range r.Start.Agents {
		require.InDelta(t, offsets[a.Name], a.OffsetMS, 60+a.UncertaintyMS)
	}

	// The boundaries of windows, by the machine's clock. A machine that stalls cuts some windows late, not all of twenty.
	cuts := map[int]map[string]time.Time{}
	for name, p := range agents {
		for seq, at := range boundaries(p.Log()) {
			if cuts[seq] == nil {
				cuts[seq] = map[string]time.Time{}
			}
			cuts[seq][name] = at
		}
	}
	for from := 0; from < 59; from += 20 {
		var gaps []time.Duration
		for seq := from; seq < min(from+20, 59); seq++ {
			require.Len(t, cuts[seq], 3, "window %d", seq)
			gaps = append(gaps, spread(cuts[seq]))
		}
		t.Logf("boundaries of windows from %d on within %s", from, gaps)
		require.Less(t, slices.Min(gaps), tolerance.CutSkew, "from window %d on: %s", from, gaps)
	}
}

// startTogether checks that the agents began a run at one instant by the machine's clock, and that its report agrees.
func startTogether(t *testing.T, try *tolerance.Try, r result.Run, ops string) {
	t.Helper()
	first := firstSends(t, ops)
	require.Len(t, first, 3)
	skew := spread(first)
	t.Logf("true skew of the first sends %s; reported %.3f ms ± %.3f ms", skew, r.Start.SkewMS, r.Start.UncertaintyMS)
	assert.InDelta(try, r.Start.SkewMS, float64(skew)/1e6, r.Start.UncertaintyMS+float64(tolerance.ReadClock)/1e6, "what is reported")
	assert.Less(try, skew, tolerance.StartSkew)
}

// TestWallClocksThatAreSet sets the wall clocks of the coordinator and of two agents by hours, forward and back, while a run
// goes on.
func TestWallClocksThatAreSet(t *testing.T) {
	t.Parallel() // it waits most of the time
	began := time.Now()
	// Maintenance of the archive runs a minute after the start: between both.
	h := testcluster.New(t, "--keep", "4h", "--debug-clock-jump", "5h@20s,-13h@64s")
	h.Agent("a", "--debug-clock-jump", "5h@30s")
	h.Agent("b", "--debug-clock-jump", "-8h@40s,100h@60s")
	h.Agent("c")
	h.Connected(3)
	workload := []string{"-p", "recordcount=1000", "-p", "null.service=constant 5ms", "--threads", "2", "--duration"}
	first := h.Submit(append(workload, "1s", "--agents", "3")...)
	id := h.Submit(append(workload, "67s", "--agents", "3")...)
	testcluster.Eventually(t, 3*time.Minute, func() bool { return h.Show(id).Status.Ended() }, "the run should end; the coordinator printed: %s", h.Coordinator.Log())
	r := h.Show(id)
	testcluster.RequireConsistent(t, r, 3)
	p := r.Phases[0]
	require.InDelta(t, 67, p.Seconds, 0.1)
	require.InDelta(t, float64(p.Ops)/67, p.Throughput, 0.01*p.Throughput+1)
	require.Equal(t, 68, len(p.Series), "67 windows and what was in flight") //nolint:testifylint // prints the number, not the series
	for i, point := range p.Series[:67] {
		require.NotZero(t, point.Ops, "second %d", i)
	}
	require.Less(t, r.Start.SkewMS, float64(tolerance.Stall)/1e6)
	require.WithinDuration(t, began, r.Start.Planned, time.Minute)
	h.Connected(3)
	require.Equal(t, result.Complete, h.Show(first).Status, "a suite that ended a minute ago is not four hours old")
	late := h.Submit(append(workload, "1s", "--agents", "3")...)
	h.Until(late, "complete")
	require.WithinDuration(t, time.Now().Add(-8*time.Hour), h.Show(late).Provenance.Created, 5*time.Minute, "the clock was set")

	h.Coordinator.Signal(syscall.SIGTERM)
	h.Coordinator.Exit(testcluster.Patience)
	store, err := sqlite.Open(t.Context(), h.Dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close(t.Context())) }()
	run, err := store.Run(t.Context(), id+".1")
	require.NoError(t, err)
	require.InDelta(t, 67, run.Ended.Sub(run.Started).Seconds(), tolerance.Patience.Seconds())
	events, err := store.Events(t.Context(), id+".1")
	require.NoError(t, err)
	require.NotEmpty(t, events)
	for i, e := range events {
		require.NotEqual(t, "agent", e.Kind, "%s", e.Text)
		require.WithinRange(t, e.At, began.Add(-time.Minute), began.Add(5*time.Minute))
		require.False(t, i > 0 && e.At.Before(events[i-1].At), "%s", e.Text)
	}
}

// firstSends returns the start of each agent's first operation, from the null target's log.
func firstSends(t *testing.T, path string) map[string]time.Time {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	first := map[string]time.Time{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		require.Len(t, words, 9, lines.Text())
		ns, err := strconv.ParseInt(words[6], 10, 64)
		require.NoError(t, err)
		at := time.Unix(0, ns)
		if was, ok := first[words[0]]; !ok || at.Before(was) {
			first[words[0]] = at
		}
	}
	return first
}

// boundaries returns the times of the cuts of windows by the machine's clock, from an agent's log.
func boundaries(log string) map[int]time.Time {
	out := map[int]time.Time{}
	for _, m := range regexp.MustCompile(`msg="window cut".*`).FindAllString(log, -1) {
		seq, machine := field(m, "seq"), field(m, "machine_time_ns")
		if seq >= 0 && machine > 0 {
			out[int(seq)] = time.Unix(0, machine)
		}
	}
	return out
}

func field(line, name string) int64 {
	m := regexp.MustCompile(`\b` + name + `=(\d+)`).FindStringSubmatch(line)
	if m == nil {
		return -1
	}
	n, _ := strconv.ParseInt(m[1], 10, 64)
	return n
}

func spread[K comparable](at map[K]time.Time) time.Duration {
	var first, last time.Time
	for _, x := range at {
		if first.IsZero() || x.Before(first) {
			first = x
		}
		if x.After(last) {
			last = x
		}
	}
	return last.Sub(first)
}
