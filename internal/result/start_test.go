package result_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

func TestNewStart(t *testing.T) {
	planned := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	send := func(name string, late, uncertainty time.Duration) result.FirstSend {
		return result.FirstSend{Name: name, At: planned.Add(late), Uncertainty: uncertainty, Offset: 37 * time.Second}
	}
	for _, tc := range []struct {
		name              string
		sends             []result.FirstSend
		skew, uncertainty float64
	}{
		{"nobody", nil, 0, 0},
		{"one agent cannot be apart from itself", []result.FirstSend{send("a", time.Millisecond, time.Second)}, 0, 0},
		{
			"the doubts of both ends add up",
			[]result.FirstSend{send("a", 100*time.Microsecond, 20*time.Microsecond), send("b", 400*time.Microsecond, 30*time.Microsecond)},
			0.3, 0.05,
		},
		{
			"an agent in the middle whose clock is known badly may have been the last",
			[]result.FirstSend{send("a", 0, 0), send("b", 500*time.Microsecond, time.Millisecond), send("c", time.Millisecond, 0)},
			1, 0.5,
		},
		{
			"together at best, twice the doubt apart at worst",
			[]result.FirstSend{send("a", 0, time.Millisecond), send("b", 0, time.Millisecond)},
			0, 2,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := result.NewStart(planned, tc.sends)
			require.InDelta(t, tc.skew, s.SkewMS, 1e-9)
			require.InDelta(t, tc.uncertainty, s.UncertaintyMS, 1e-9)
			require.Len(t, s.Agents, len(tc.sends))
			for i, a := range s.Agents {
				require.InDelta(t, tc.sends[i].At.Sub(planned).Seconds()*1000, a.LateMS, 1e-9)
				require.InDelta(t, 37000.0, a.OffsetMS, 0)
			}
		})
	}
}

// The bounds hold for any two agents, compared with each other.
func TestStartComparesAll(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	planned := time.Unix(0, 0)
	for range 500 {
		sends := make([]result.FirstSend, r.IntN(7))
		for i := range sends {
			sends[i] = result.FirstSend{
				At:          planned.Add(time.Duration(r.Int64N(20)-10) * time.Millisecond),
				Uncertainty: time.Duration(r.Int64N(10)) * time.Millisecond,
			}
		}
		var skew, most, least time.Duration
		for i, a := range sends {
			for j, b := range sends {
				if i != j {
					gap, doubt := a.At.Sub(b.At), a.Uncertainty+b.Uncertainty
					skew, most, least = max(skew, gap), max(most, gap+doubt), max(least, gap-doubt)
				}
			}
		}
		s := result.NewStart(planned, sends)
		require.InDelta(t, skew.Seconds()*1000, s.SkewMS, 1e-9)
		require.InDelta(t, max(most-skew, skew-least).Seconds()*1000, s.UncertaintyMS, 1e-9)
	}
}

// The true skew is within the reported uncertainty for every position of each send within its own.
func TestStartBoundsTheTrueSkew(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	planned := time.Unix(0, 0)
	for range 300 {
		n := 1 + r.IntN(5)
		sends := make([]result.FirstSend, n)
		for i := range sends {
			sends[i] = result.FirstSend{
				At:          planned.Add(time.Duration(r.Int64N(2_000_000))),
				Uncertainty: time.Duration(r.Int64N(500_000)),
			}
		}
		s := result.NewStart(planned, sends)
		for range 50 {
			var first, last time.Time
			for i, f := range sends {
				var off time.Duration
				switch r.IntN(3) { // mostly the extremes
				case 0:
					off = f.Uncertainty
				case 1:
					off = -f.Uncertainty
				default:
					off = time.Duration(r.Int64N(2*int64(f.Uncertainty)+1)) - f.Uncertainty
				}
				at := f.At.Add(off)
				if i == 0 || at.Before(first) {
					first = at
				}
				if i == 0 || at.After(last) {
					last = at
				}
			}
			truth := last.Sub(first).Seconds() * 1000
			require.InDelta(t, truth, s.SkewMS, s.UncertaintyMS+1e-9)
		}
	}
}
