package report_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

func combined(name string, count uint64, largest, smallest, mean, p50, others float64) result.Combined {
	f := result.Figures{Count: count, Max: largest, Min: smallest, Mean: mean, P50: &p50, P90: &others, P99: &others, P999: &others, P9999: &others}
	return result.Combined{Name: name, Figures: f, Service: f}
}

// statusLine is a status line as a reader prints it.
func statusLine(y report.YCSB, s report.Status) string {
	return report.StampStatus(y.Label, s.At, y.StatusText(s))
}

// Status lines are YCSB's to the letter: these are lines that YCSB wrote.
func TestStatusLine(t *testing.T) {
	at := time.Date(2026, 11, 21, 8, 48, 54, 0, time.UTC)
	y := report.YCSB{Clock: report.OpClock}
	for _, tc := range []struct {
		want string
		s    report.Status
	}{
		{
			"2026-11-21 08:48:54:157 0 sec: 0 operations; est completion in 0 second ",
			report.Status{At: at.Add(157 * time.Millisecond), Todo: 3},
		},
		{
			"2026-11-21 08:48:54:191 0 sec: 3 operations; 62.5 current ops/sec; " +
				"[CLEANUP: Count=1, Max=1, Min=1, Avg=1, 50=1, 90=1, 99=1, 99.9=1, 99.99=1] " +
				"[INSERT: Count=3, Max=17103, Min=41, Avg=5760, 50=143, 90=17103, 99=17103, 99.9=17103, 99.99=17103] ",
			report.Status{
				At: at.Add(191 * time.Millisecond), Ops: 3, Rate: 62.5,
				Combined: []result.Combined{
					combined("CLEANUP", 1, 1, 1, 1, 1, 1),
					combined("INSERT", 3, 17103, 41, 5760, 143, 17103),
				},
			},
		},
		{
			"2026-11-21 08:48:54:899 0 sec: 6 operations; 107.14 current ops/sec; " +
				"[READ: Count=1, Max=28, Min=28, Avg=28, 50=28, 90=28, 99=28, 99.9=28, 99.99=28] ",
			report.Status{
				At: at.Add(899 * time.Millisecond), Ops: 6, Rate: 107.142857,
				Combined: []result.Combined{combined("READ", 1, 28, 28, 28, 28, 28), {Name: "DELETE"}},
			},
		},
	} {
		require.Equal(t, tc.want, statusLine(y, tc.s))
	}
}

// A percentile with too few samples is not in a status line either (law 6); the label has no separator; times have YCSB's
// format.
func TestStatusLineForms(t *testing.T) {
	at := time.Date(2026, 11, 21, 8, 48, 54, 0, time.UTC)
	few := result.Figures{Count: 2, Max: 1500.9, Min: 20, Mean: 760.456}
	s := report.Status{
		At: at, Elapsed: 12345 * time.Millisecond, Ops: 5, Rate: math.Inf(1), Todo: 7, Remaining: 150 * time.Second,
		Combined: []result.Combined{{Name: "READ", Figures: few, Service: few}, {Name: "VERIFY", Figures: few, Service: few}},
	}
	const read, verify = "READ: Count=2, Max=1500, Min=20, Avg=760.46] ", "[VERIFY: Count=2, Max=1500, Min=20, Avg=760.46] "
	const head = "2026-11-21 08:48:54:000 12 sec: 5 operations; ∞ current ops/sec; est completion in 2 minutes "
	require.Equal(t, "run1:"+head+"["+read+verify, statusLine(report.YCSB{Clock: report.OpClock, Label: "run1:"}, s))
	require.Equal(t, head+"["+read, statusLine(report.YCSB{Clock: report.IntendedClock}, s))
	require.Equal(t, head+"["+read+verify+"[Intended-"+read, statusLine(report.YCSB{Clock: report.BothClocks}, s))

	for d, want := range map[time.Duration]string{
		time.Second:        "1 second ",
		9 * time.Second:    "9 second ",
		10 * time.Second:   "10 seconds ",
		time.Minute:        "1 minute ",
		63 * time.Minute:   "1 hour 3 minutes ",
		2 * time.Hour:      "2 hours ",
		49 * time.Hour:     "2 days 1 hour ",
		24*time.Hour + 120: "1 day ",
		-time.Second:       "0 second ",
	} {
		require.Equal(t, "2026-11-21 08:48:54:000 0 sec: 0 operations; est completion in "+want,
			statusLine(report.YCSB{}, report.Status{At: at, Todo: 1, Remaining: d}))
	}
}
