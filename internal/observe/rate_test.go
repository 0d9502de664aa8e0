package observe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRates protects that a counter becomes a rate in one way, and that none is negative, whatever restarts.
func TestRates(t *testing.T) {
	type step struct {
		second  float64
		value   float64
		epoch   string
		live    bool
		want    float64
		nothing bool
	}
	for name, steps := range map[string][]step{
		"a live counter": {
			{second: 0, value: 100, live: true, nothing: true}, {second: 2, value: 300, live: true, want: 100}, {second: 3, value: 300, live: true, want: 0},
		},
		"a counter that starts anew": {
			{second: 0, value: 100, live: true, nothing: true}, {second: 1, value: 7, live: true, nothing: true}, {second: 2, value: 9, live: true, want: 2},
		},
		"a server that was started anew and has counted further": {
			{second: 0, value: 100, epoch: "a", live: true, nothing: true},
			{second: 9, value: 900, epoch: "b", live: true, nothing: true},
			{second: 10, value: 901, epoch: "b", live: true, want: 1},
		},
		"figures that are kept by the server for ten seconds": {
			{second: 0, value: 0, nothing: true},
			{second: 1, value: 0, nothing: true},
			{second: 9, value: 0, nothing: true},
			{second: 10, value: 1000, want: 100},
			{second: 11, value: 1000, nothing: true},
			{second: 20, value: 3000, want: 200},
		},
		"figures that stand still": {
			{second: 0, value: 5, nothing: true}, {second: 14, value: 5, nothing: true}, {second: 15, value: 5, want: 0}, {second: 16, value: 6, want: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			rates := NewRates()
			for _, s := range steps {
				got := rates.Take(nil, &Group{
					Key: "k", Source: "rs", At: time.Unix(1000, 0).Add(time.Duration(s.second * 1e9)), Epoch: s.epoch, Live: s.live,
					Readings: []Reading{{Name: "requests", Unit: "1/s", Kind: Counter, Value: s.value}},
				})
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
	rates := NewRates()
	take := func(second int, hits, all float64) []Sample {
		return rates.Take(nil, &Group{Source: "rs", At: time.Unix(int64(second), 0), Live: true, Readings: []Reading{
			{Name: "hit_percent", Unit: "percent", Kind: Share, Value: hits, Of: all}, {Name: "files", Unit: "1", Value: 3, Suffix: "/x"},
		}})
	}
	require.Equal(t, []Sample{{"files", "rs/x", "1", 3}}, take(1, 1000, 1000))
	require.Equal(t, []Sample{{"hit_percent", "rs", "percent", 75}, {"files", "rs/x", "1", 3}}, take(2, 1003, 1004), "of what was asked since, not ever")
	require.Len(t, take(3, 1003, 1004), 1, "where nothing was asked there is no share")
	require.Len(t, take(4, 1, 2), 1, "started anew")
}

func TestGroupsThatAreGoneAreForgotten(t *testing.T) {
	rates := NewRates()
	for i := range mostGroups + 10 {
		at := time.Unix(int64(i)*10, 0)
		rates.Take(nil, &Group{Source: "rs", Key: at.String(), At: at, Live: true, Readings: []Reading{{Name: "n", Kind: Counter, Value: 1}}})
	}
	require.LessOrEqual(t, len(rates.groups), mostGroups)
}
