package relay_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/relay"
)

const us = time.Microsecond

// rounds are rounds with these differences.
func rounds(differences ...time.Duration) (all []relay.Round) {
	for i, d := range differences {
		noise := time.Duration(i) * 100 * us
		all = append(all, relay.Round{Reported: 200*us + noise + d, Relay: 150*us + noise, Own: 50 * us})
	}
	return all
}

func TestTheMedianDifferenceDecides(t *testing.T) {
	for name, c := range map[string]struct {
		differences []time.Duration
		median      time.Duration
		ok          bool
	}{
		"within":                    {[]time.Duration{3 * us, -2 * us, 8 * us}, 3 * us, true},
		"at the bound":              {[]time.Duration{20 * us}, 20 * us, true},
		"beyond it":                 {[]time.Duration{20*us + 1}, 20*us + 1, false},
		"too short":                 {[]time.Duration{-21 * us}, -21 * us, false},
		"50 µs more in each":        {[]time.Duration{53 * us, 48 * us, 58 * us}, 53 * us, false},
		"a stall in one":            {[]time.Duration{4 * us, 900 * us, -3 * us}, 4 * us, true},
		"one good round":            {[]time.Duration{0, 51 * us, 49 * us}, 49 * us, false},
		"two of four are beyond it": {[]time.Duration{0, 10 * us, 60 * us, 70 * us}, 35 * us, false},
	} {
		t.Run(name, func(t *testing.T) {
			median, err := relay.Check(rounds(c.differences...), 20*us)
			require.Equal(t, c.median, median)
			if c.ok {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "by "+c.median.String())
			require.ErrorContains(t, err, "the tolerance is 20µs")
		})
	}
}

func TestMedian(t *testing.T) {
	require.Equal(t, 3*us, relay.Median([]time.Duration{5 * us, 1 * us, 3 * us}))
	require.Equal(t, 2*us, relay.Median([]time.Duration{3 * us, 1 * us}))
}
