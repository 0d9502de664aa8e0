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
		usualHeap - garbageRoom: 33, usualHeap: 25, 100 * garbageRoom: leastPercent,
	} {
		require.Equal(t, want, percentFor(live), "of %d live bytes", live)
	}
	sample := []metrics.Sample{{Name: liveHeap}}
	metrics.Read(sample)
	require.Equal(t, metrics.KindUint64, sample[0].Value.Kind(), "the runtime has this metric")
}
