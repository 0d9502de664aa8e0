package view

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o750))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func at(second int) time.Time { return time.Date(2026, 3, 1, 12, 0, second, 0, time.Local) }

// measuring is a run in the middle of its measure phase.
func measuring() Snapshot {
	s := Snapshot{}
	for i := range 40 {
		s.Add(remote.Progress{Run: "S.1", Phase: "measure", Elapsed: time.Duration(i) * time.Second, Rate: 10000 + 2000*math.Sin(float64(i)/4)})
	}
	s.Add(remote.Progress{
		Suite: "S", Run: "S.1", Status: result.Running, Phase: "measure", Elapsed: 13500 * time.Millisecond, Planned: 30 * time.Second,
		Ops: 166_000, Rate: 12_345.6, Offered: 12_500, Runs: 1,
		Operations: []remote.Operation{
			{Op: "READ", Outcome: "OK", Count: 6000, P50: 123 * time.Microsecond, P99: 1200 * time.Microsecond, Max: 5300 * time.Microsecond},
			{Op: "READ", Outcome: "TIMEOUT", Count: 3, Max: time.Second},
			{Op: "READ-MODIFY-WRITE", Outcome: "OK", Count: 6000, P50: 345 * time.Microsecond, P99: 2400 * time.Microsecond, Max: 9 * time.Millisecond},
			{Op: "READ", Outcome: "OK", PartOf: "READ-MODIFY-WRITE", Count: 6000, P50: 120 * time.Microsecond, P99: 1210 * time.Microsecond, Max: 5 * time.Millisecond},
			{Op: "UPDATE", Outcome: "OK", PartOf: "READ-MODIFY-WRITE", Count: 6000, P50: 220 * time.Microsecond, P99: 1190 * time.Microsecond, Max: 4 * time.Millisecond},
		},
		Agents: []remote.AgentProgress{
			{Name: "a", Connected: true, State: "running", Rate: 6200, Idle: 0.87, P99: 1190 * time.Microsecond, Clock: remote.Clock{OffsetMS: -0.123, UncertaintyMS: 0.02}},
			{Name: "b", Connected: true, State: "running", Rate: 6145.6, Idle: 0.16, P99: 1220 * time.Microsecond, Clock: remote.Clock{OffsetMS: 37000.001, UncertaintyMS: 0.031}},
			{Name: "c", State: "lost", Idle: -1},
		},
		Events: []remote.Event{
			{At: at(1), Kind: "phase", Text: "measure began"},
			{At: at(13), Kind: "agent", Text: "c: the stream broke"},
		},
	})
	return s
}

func TestScreenShowsTheRun(t *testing.T) {
	many := func() Snapshot {
		s := measuring()
		s.Progress.Agents = nil
		for i := range 60 {
			s.Progress.Agents = append(s.Progress.Agents, remote.AgentProgress{
				Name: fmt.Sprintf("agent-%02d", i), Connected: i != 41, State: "running", Rate: 200, Idle: 0.5, P99: time.Millisecond,
			})
		}
		return s
	}
	for _, test := range []struct {
		name          string
		width, height int
		snapshot      func() Snapshot
	}{
		{"measuring", 100, 30, measuring},
		{"narrow", 40, 30, measuring},
		{"low", 100, 12, measuring},
		{"many-agents", 100, 30, many},
		{"asked", 100, 30, func() Snapshot {
			s := measuring()
			s.Question = "Cancel run S.1?"
			s.Lost = "cannot reach coordinator at 127.0.0.1:7070: connection refused"
			return s
		}},
		{"by-ops", 100, 30, func() Snapshot {
			s := measuring()
			s.Progress.Planned, s.Progress.PlannedOps, s.Progress.Offered = 0, 200_000, 0
			return s
		}},
		{"endless", 100, 30, func() Snapshot {
			s := measuring()
			s.Progress.Planned = 0
			return s
		}},
		{"queued", 100, 30, func() Snapshot {
			s := Snapshot{}
			s.Add(remote.Progress{Suite: "S", Run: "S.2", Status: result.Queued, WaitingFor: "agents a, b: they serve R.1", Runs: 3, RunsEnded: 1})
			return s
		}},
		{"suite", 100, 30, func() Snapshot {
			s := measuring()
			left := 75 * time.Minute
			s.Progress.Runs, s.Progress.RunsEnded, s.Progress.Case, s.Progress.Ahead = 25, 3, "read threadcount=8", &left
			return s
		}},
		{"ended", 100, 30, func() Snapshot {
			s := measuring()
			s.Progress.Ended, s.Progress.Status, s.Progress.Elapsed, s.Progress.Ops = true, result.Partial, 30*time.Second, 370_000
			return s
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := test.snapshot()
			lines := Render(&s, test.width, test.height, Theme{})
			require.LessOrEqual(t, len(lines), test.height)
			for _, line := range lines {
				require.LessOrEqual(t, ansi.StringWidth(line), test.width)
			}
			golden(t, test.name, strings.Join(lines, "\n")+"\n")
		})
	}
}

func TestColourChangesNothingButColour(t *testing.T) {
	s := measuring()
	s.Question = "Cancel run S.1?"
	plain, coloured := Render(&s, 100, 30, Theme{}), Render(&s, 100, 30, Colours())
	require.Len(t, coloured, len(plain))
	changed := false
	for i := range plain {
		require.Equal(t, plain[i], ansi.Strip(coloured[i]))
		changed = changed || plain[i] != coloured[i]
	}
	require.True(t, changed)
}

func TestScreenFitsWhateverItsSize(t *testing.T) {
	s := measuring()
	s.Question, s.Note = "Cancel?", "waits"
	for width := 0; width < 130; width += 7 {
		for height := range 30 {
			lines := Render(&s, width, height, Colours())
			require.LessOrEqual(t, len(lines), height)
			for _, line := range lines {
				require.LessOrEqual(t, ansi.StringWidth(line), width)
			}
		}
	}
}

func TestTextsOfOtherMachinesCannotControlTheTerminal(t *testing.T) {
	s := Snapshot{}
	s.Add(remote.Progress{
		Run: "S.1\x1b[2J", Status: result.Running, Phase: "measure\r", WaitingFor: "a\nb",
		Operations: []remote.Operation{{Op: "\x1b]0;title\x07READ", Outcome: "OK\x9b1m"}},
		Agents:     []remote.AgentProgress{{Name: "\x1b[31ma", State: "run\bning", Connected: true}},
		Events:     []remote.Event{{At: at(0), Kind: "agent\t", Text: "x\x1b[1Ay\u202ez\u2066\u200f"}},
	})
	text := strings.Join(Render(&s, 100, 30, Theme{}), "") + strings.Join(Lines(s.Progress), "")
	for _, r := range text {
		require.False(t, r < ' ' || r >= 0x7f && r < 0xa0, "%q in %q", r, text)
		require.NotContains(t, []rune{0x202e, 0x2066, 0x200f}, r)
	}
}

func TestTheEndThatComesFirstCounts(t *testing.T) {
	for _, test := range []struct {
		name  string
		p     remote.Progress
		share float64
		left  time.Duration
		ok    bool
	}{
		{"none", remote.Progress{Elapsed: time.Second, Ops: 5}, 0, -1, false},
		{"time", remote.Progress{Elapsed: 3 * time.Second, Planned: 12 * time.Second}, 0.25, 9 * time.Second, true},
		{"time is over", remote.Progress{Elapsed: 13 * time.Second, Planned: 12 * time.Second}, 1, 0, true},
		{"ops", remote.Progress{Elapsed: 3 * time.Second, Ops: 300, PlannedOps: 400}, 0.75, time.Second, true},
		{"no op yet", remote.Progress{Elapsed: 3 * time.Second, PlannedOps: 400}, 0, -1, true},
		{"ops before time", remote.Progress{Elapsed: 3 * time.Second, Planned: 12 * time.Second, Ops: 300, PlannedOps: 400}, 0.75, time.Second, true},
		{"time before ops", remote.Progress{Elapsed: 9 * time.Second, Planned: 12 * time.Second, Ops: 100, PlannedOps: 400}, 0.75, 3 * time.Second, true},
		{"more ops than planned", remote.Progress{Elapsed: time.Second, Ops: 500, PlannedOps: 400}, 1, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Snapshot{Progress: test.p}
			share, left, ok := s.Done()
			require.Equal(t, test.ok, ok)
			require.InDelta(t, test.share, share, 1e-9)
			require.InDelta(t, test.left.Seconds(), left.Seconds(), 1e-6)
		})
	}
}

func TestFiguresAreReadable(t *testing.T) {
	for want, got := range map[string]string{
		"0": count(0), "999": count(999.4), "1,000": count(999.6), "1,234,567": count(1234567), none: count(math.NaN()),
		"812 ns": latency(812), "1.00 µs": latency(1000), "12.3 µs": latency(12_345), "123 µs": latency(123_456),
		"1.00 ms": latency(999_600), "9.99 ms": latency(9_990_000), "10.0 ms": latency(9_999_000), "1.50 s": latency(1_500_000_000),
		"3600 s": latency(time.Hour), "4.0 s": Span(4 * time.Second), "2m05s": Span(125 * time.Second), "3h07m": Span(3*time.Hour + 7*time.Minute),
		"87 %": share(0.87), "█████░░░░░": bar(0.5, 10), "▁▅█": spark([]float64{0, 1, 2}, 5), "▁▁": spark([]float64{9, 0, 0}, 2),
	} {
		require.Equal(t, want, got)
	}
	require.Equal(t, none, latency(0))
	require.Equal(t, none, share(-1))
	require.Equal(t, none, Span(-1))
}

func TestRatesBelongToOnePhase(t *testing.T) {
	s := Snapshot{}
	for i := range 200 {
		s.Add(remote.Progress{Run: "S.1", Phase: "warmup", Elapsed: time.Duration(i + 1), Rate: 1})
	}
	require.Len(t, s.Rates, keptRates)
	s.Add(remote.Progress{Run: "S.1", Phase: "measure", Elapsed: 1, Rate: 2})
	require.Equal(t, []float64{2}, s.Rates)
}

func TestPlainRepeatsNothing(t *testing.T) {
	var out strings.Builder
	v := NewPlain(&out, false)
	queued := remote.Progress{Suite: "S", Run: "S.1", Status: result.Queued, WaitingFor: "agents: 1 of 2 is there"}
	v.Progress(queued)
	v.Progress(queued)
	v.Progress(measuring().Progress)
	v.ShowAside(Aside{Lost: "the coordinator is gone"})
	v.ShowAside(Aside{Lost: "the coordinator is gone"})
	v.ShowAside(Aside{Question: "Cancel run S.1? [y/N]"})
	v.ShowAside(Aside{Note: "S.1 goes on"})
	v.Progress(remote.Progress{Suite: "S", Run: "S.1", Status: result.Complete, Ended: true})
	golden(t, "plain", out.String())

	out.Reset()
	v = NewPlain(&out, true)
	v.Progress(queued)
	v.ShowAside(Aside{Note: "cancels"})
	require.Equal(t, "cancels\n", out.String())
}

func TestAWarmUpUntilItIsSteadyShowsItsProgress(t *testing.T) {
	s := measuring()
	s.Progress.Phase, s.Progress.Steady = "warmup", "16 of 20 intervals"
	require.Contains(t, Render(&s, 100, 40, Theme{}), "steady? 16 of 20 intervals")
	require.Contains(t, strings.Join(Lines(s.Progress), "\n"), "steady? 16 of 20 intervals")
	s.Progress.Steady = ""
	require.NotContains(t, strings.Join(Render(&s, 100, 40, Theme{}), "\n"), "steady?")
}
