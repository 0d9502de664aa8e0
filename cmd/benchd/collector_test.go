package main

import (
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/require"
)

// A small heap grows by a fixed amount, within a bound; a larger one has its usual garbage; then it grows to a fixed size, and by a fixed amount at least.
func TestGarbageIsBounded(t *testing.T) {
	for live, want := range map[uint64]int{
		0: mostPercent, 10 << 20: mostPercent, 32 << 20: 200, smallRoom: usualPercent, garbageRoom: usualPercent, usualHeap / 2: usualPercent, usualHeap / 8 * 5: 60,
		usualHeap - garbageRoom: 23, usualHeap: 18, 100 * garbageRoom: leastPercent,
	} {
		require.Equal(t, want, percentFor(live, 0), "of %d live bytes", live)
	}
	require.Equal(t, 17, percentFor(usualHeap, garbageRoom/2), "stacks have their share of the garbage")
	require.Equal(t, usualPercent, percentFor(smallRoom/2, smallRoom/2))
	samples := scanned()
	metrics.Read(samples)
	for _, s := range samples {
		require.Equal(t, metrics.KindUint64, s.Value.Kind(), "the runtime has %s", s.Name)
	}
}
