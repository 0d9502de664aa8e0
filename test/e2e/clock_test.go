//go:build integration

package e2e

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/house"
)

// TestClocksThatDiffer runs three agents whose clocks are hours apart and drift. The truth comes from the machine's own clock: the null target writes it into its log, and agents into
// theirs.
func TestClocksThatDiffer(t *testing.T) {
	h := house.New(t)
	skews := map[string][]string{
		"a": {"--debug-clock-offset=-37s", "--debug-clock-drift=200ppm"},
		"b": {"--debug-clock-offset=0s"},
		"c": {"--debug-clock-offset=3h", "--debug-clock-drift=-200ppm"},
	}
	agents := map[string]*house.Process{}
	for name, skew := range skews {
		agents[name] = h.Agent(name, append(skew, "--log-level", "debug")...)
	}
	h.Connected(3)
	ops := filepath.Join(t.TempDir(), "ops")
	stdout, stderr, code := h.Ctl("submit", "--db", "null", "-p", "recordcount=1000", "-p", "null.log="+ops,
		"-p", "null.service=constant 1ms", "--threads", "2", "--duration", "60s", "--wait", "-o", "json")
	require.Zero(t, code, stderr)
	r := house.Parse(t, stdout)
	house.Honest(t, r, 3)
	series := r.Phases[0].Series
	require.Equal(t, 61, len(series), "60 windows and what was in flight: none is lost, none comes twice") //nolint:testifylint // prints the number, not the series
	require.True(t, series[60].Tail)

	skew := spread(firstSends(t, ops))
	t.Logf("true skew of the first sends %s; reported %.3f ms ± %.3f ms", skew, r.Start.SkewMS, r.Start.UncertaintyMS)
	require.Len(t, firstSends(t, ops), 3)
	require.Less(t, skew, 5*time.Millisecond)
	require.InDelta(t, r.Start.SkewMS, float64(skew)/1e6, r.Start.UncertaintyMS+0.1, "0.1 ms: between reading the clock and sending")

	offsets := map[string]float64{"a": -37_000, "b": 0, "c": 3 * 3600_000}
	for _, a := range r.Start.Agents {
		require.InDelta(t, offsets[a.Name], a.OffsetMS, 60)
	}

	// The boundaries of the last windows, by the machine's clock.
	cuts := map[int]map[string]time.Time{}
	for name, p := range agents {
		for seq, at := range boundaries(p.Log()) {
			if cuts[seq] == nil {
				cuts[seq] = map[string]time.Time{}
			}
			cuts[seq][name] = at
		}
	}
	for _, seq := range []int{0, 19, 20, 21, 30, 57, 58} {
		require.Len(t, cuts[seq], 3, "window %d", seq)
		gap := spread(cuts[seq])
		t.Logf("window %d: boundaries within %s", seq, gap)
		require.Less(t, gap, 10*time.Millisecond)
	}
}

// firstSends gives when each agent's first operation began, from the null target's log.
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

// boundaries gives when windows were cut by the machine's clock, from an agent's log.
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
