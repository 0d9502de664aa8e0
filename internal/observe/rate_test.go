package observe

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
)

// TestRates checks that no rate is negative, whatever restarts, and that no rate contains counts from before the run or
// from readings that were not renewed.
func TestRates(t *testing.T) {
	type step struct {
		second  float64
		value   float64
		epoch   string
		kept    bool
		renewed float64 // of figures that the server caches; 0 if not seen
		want    float64
		nothing bool
	}
	for name, steps := range map[string][]step{
		"a live counter": {
			{second: 1, value: 100, nothing: true}, {second: 3, value: 300, want: 100}, {second: 4, value: 300, want: 0},
		},
		"a live counter before the run": {
			{second: -5, value: 0, nothing: true}, {second: -1, value: 9000, nothing: true}, {second: 1, value: 9100, nothing: true}, {second: 2, value: 9110, want: 10},
		},
		"a counter that was reset": {
			{second: 1, value: 100, nothing: true}, {second: 2, value: 7, nothing: true}, {second: 3, value: 9, want: 2},
		},
		"a restarted server that has counted further": {
			{second: 1, value: 100, epoch: "a", nothing: true},
			{second: 9, value: 900, epoch: "b", nothing: true},
			{second: 10, value: 901, epoch: "b", want: 1},
		},
		"figures that the server caches for ten seconds": {
			{second: 1, kept: true, value: 0, nothing: true}, // the time of its renewal is unknown
			{second: 4, kept: true, renewed: 4, value: 66_952, nothing: true},
			{second: 5, kept: true, renewed: 4, value: 66_952, nothing: true},
			{second: 14, kept: true, renewed: 14, value: 67_952, want: 100},
			{second: 15, kept: true, renewed: 14, value: 67_952, nothing: true},
			{second: 24, kept: true, renewed: 24, value: 69_952, want: 200},
		},
		"figures that were renewed before the run": {
			{second: 1, kept: true, renewed: -2, value: 1000, nothing: true},
			{second: 8, kept: true, renewed: 8, value: 2000, nothing: true},
			{second: 18, kept: true, renewed: 18, value: 2500, want: 50},
		},
		"figures that stand still": {
			{second: 1, kept: true, renewed: 1, value: 5, nothing: true},
			{second: 17, kept: true, renewed: 1, value: 5, nothing: true},
			{second: 18, kept: true, renewed: 11, value: 5, want: 0},
			{second: 21, kept: true, renewed: 21, value: 15, want: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			start := clock.Mono()
			after := func(seconds float64) clock.Instant { return start.Add(time.Duration(seconds * 1e9)) }
			rates := NewRates()
			rates.Since(start)
			for _, s := range steps {
				g := Group{
					Key: "k", Source: "rs", At: after(s.second), Epoch: s.epoch, Live: !s.kept,
					Readings: []Reading{{Name: "requests", Unit: "1/s", Kind: Counter, Value: s.value}},
				}
				if s.renewed != 0 {
					g.Renewed = after(s.renewed)
				}
				got := rates.Take(nil, &g)
				if s.nothing {
					require.Empty(t, got, "at %v s", s.second)
					continue
				}
				require.Equal(t, []Sample{{Name: "requests", Source: "rs", Unit: "1/s", Value: s.want}}, got, "at %v s", s.second)
			}
		})
	}
}

func TestASharesGrowthIsAPercentage(t *testing.T) {
	rates, zero := NewRates(), clock.Mono()
	take := func(second int, hits, all float64) []Sample {
		return rates.Take(nil, &Group{Source: "rs", At: zero.Add(time.Duration(second) * time.Second), Live: true, Readings: []Reading{
			{Name: "hit_percent", Unit: "percent", Kind: Share, Value: hits, Of: all}, {Name: "files", Unit: "1", Value: 3, Suffix: "/x"},
		}})
	}
	require.Equal(t, []Sample{{"files", "rs/x", "1", 3}}, take(1, 1000, 1000))
	require.Equal(t, []Sample{{"hit_percent", "rs", "percent", 75}, {"files", "rs/x", "1", 3}}, take(2, 1003, 1004), "of the requests since the last reading")
	require.Len(t, take(3, 1003, 1004), 1, "without requests there is no share")
	require.Len(t, take(4, 1, 2), 1, "the counter was reset")
}

func TestOldGroupsAreForgotten(t *testing.T) {
	rates, zero := NewRates(), clock.Mono()
	for i := range maxGroups + 10 {
		at := zero.Add(time.Duration(i) * 10 * time.Second)
		rates.Take(nil, &Group{Source: "rs", Key: strconv.Itoa(i), At: at, Live: true, Readings: []Reading{{Name: "n", Kind: Counter, Value: 1}}})
	}
	require.LessOrEqual(t, len(rates.groups), maxGroups)
}
