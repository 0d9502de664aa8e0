package observe

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/result"
)

// counted is a source that counts its looks.
type counted struct {
	looks  float64
	slow   time.Duration
	closed bool
}

func (c *counted) Close() { c.closed = true }

func (c *counted) Look(ctx context.Context) Look {
	select {
	case <-time.After(c.slow):
	case <-ctx.Done():
	}
	c.looks++
	return Look{
		Groups: []Group{{Source: "s", At: clock.Mono(), Live: true, Readings: []Reading{{Name: "looks", Unit: "1", Value: c.looks}}}},
		Events: []Event{{At: clock.Mono(), Kind: "server", Text: "x"}},
	}
}

func sample(t *testing.T, c *counted, began, length time.Duration) result.Observations {
	t.Helper()
	var taken result.Observations
	synctest.Test(t, func(t *testing.T) {
		start := clock.Mono()
		s := NewSampler(SamplerConfig{
			Sources: []Watched{{c, time.Second}}, Interval: time.Second, Watcher: "a",
			RunTime: func() (time.Duration, bool) { return began + start.Elapsed(), true },
		})
		ctx, cancel := context.WithTimeout(t.Context(), length)
		defer cancel()
		s.Run(ctx)
		taken = s.Take()
		require.Empty(t, s.Take().Figures, "what was taken is gone")
	})
	require.True(t, c.closed)
	return taken
}

func figureOf(t *testing.T, o result.Observations, name string) result.Observed {
	t.Helper()
	for _, f := range o.Figures {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no figure %s", name)
	return result.Observed{}
}

func TestASourceIsReadAtItsInterval(t *testing.T) {
	o := sample(t, &counted{slow: time.Millisecond}, 0, 4500*time.Millisecond)
	require.Equal(t, []float64{1, 2, 3, 4, 5}, figureOf(t, o, "looks").Values)
	require.Len(t, figureOf(t, o, result.PollTime).At, 5)
	require.Len(t, o.Happenings, 5)
}

// busyBefore is a source whose counter grows by a thousand a second before an instant, and by ten after it.
type busyBefore struct{ start clock.Instant }

func (*busyBefore) Close() {}

func (b *busyBefore) Look(context.Context) Look {
	value := 1e6 + 10*b.start.Elapsed().Seconds()
	if before := -b.start.Elapsed().Seconds(); before > 0 {
		value = 1e6 - 1000*before
	}
	return Look{Groups: []Group{{Source: "s", At: clock.Mono(), Live: true, Readings: []Reading{{Name: "requests", Unit: "1/s", Kind: Counter, Value: value}}}}}
}

func TestTheFirstRateOfARunStartsWithinTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := clock.Mono().Add(3500 * time.Millisecond)
		s := NewSampler(SamplerConfig{
			Sources: []Watched{{&busyBefore{start}, time.Second}}, Interval: time.Second,
			RunTime: func() (time.Duration, bool) { return start.Elapsed(), true },
		})
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		s.Run(ctx)
		f := figureOf(t, s.Take(), "requests")
		require.Equal(t, 1500*time.Millisecond, f.At[0], "the first look at 0.5 s is a baseline")
		for _, v := range f.Values {
			require.InDelta(t, 10, v, 1e-6)
		}
	})
}

func TestASlowSourceIsReadLessOften(t *testing.T) {
	o := sample(t, &counted{slow: 1500 * time.Millisecond}, 0, 10*time.Second)
	require.Len(t, figureOf(t, o, "looks").Values, 6)
}

func TestInALongRunTenReadsBecomeOnePoint(t *testing.T) {
	o := sample(t, &counted{slow: time.Millisecond}, result.WholeLooks*time.Second, 40500*time.Millisecond)
	f := figureOf(t, o, "looks")
	require.Equal(t, []float64{5.5, 15.5, 25.5, 35.5}, f.Values)
}

func TestPointsThatAreNotTakenAreLimited(t *testing.T) {
	s := NewSampler(SamplerConfig{Interval: time.Millisecond, RunTime: func() (time.Duration, bool) { return 0, true }})
	for i := range 3 * maxKept {
		s.add(&Sample{Name: "n", Source: "s"}, time.Duration(i)*time.Millisecond, 1)
	}
	f := figureOf(t, s.Take(), "n")
	require.LessOrEqual(t, len(f.At), maxKept)
	require.Equal(t, (3*maxKept-1)*time.Millisecond, f.At[len(f.At)-1], "the newest stays")
}

func TestAHostReportsCPUAndMemory(t *testing.T) {
	look := NewHost("a").Look(t.Context())
	require.Len(t, look.Groups, 1)
	names := map[string]bool{}
	for _, r := range look.Groups[0].Readings {
		names[r.Name] = true
	}
	require.True(t, names["host.cpu_busy_percent"])
	require.True(t, names["host.memory_available"])
}
