package stats_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/stats"
)

func TestBinomialTail(t *testing.T) {
	for _, tc := range []struct {
		k, n uint64
		p    float64
	}{
		{0, 10, 0.3},
		{1, 10, 0.3},
		{3, 10, 0.3},
		{7, 10, 0.3},
		{10, 10, 0.3},
		{11, 10, 0.3},
		{5, 10, 0},
		{5, 10, 1},
		{1, 1000, 0.001},
		{40, 100, 0.33},
		{25, 100, 0.33},
	} {
		want := 0.0
		for k := tc.k; k <= tc.n; k++ {
			term := 1.0
			for i := range k {
				term *= float64(tc.n-i) / float64(k-i) * tc.p
			}
			want += term * math.Pow(1-tc.p, float64(tc.n-k))
		}
		require.InDelta(t, want, stats.BinomialTail(tc.k, tc.n, tc.p), 1e-9, "%+v", tc)
	}
	require.Zero(t, stats.BinomialTail(900_000, 1_000_000, 0.3))
	require.InDelta(t, 1, stats.BinomialTail(300, 1_000_000, 0.3), 1e-12)
}
