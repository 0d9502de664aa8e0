package main

import (
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/require"
)

// A heap has its usual garbage while it is small; a larger one grows to a fixed size, and by a fixed amount at least.
func TestGarbageIsBounded(t *testing.T) {
	for live, want := range map[uint64]int{
		0: usualPercent, 10 << 20: usualPercent, garbageRoom: usualPercent, usualHeap / 2: usualPercent, usualHeap / 8 * 5: 60,
		usualHeap - garbageRoom: 33, usualHeap: 25, 100 * garbageRoom: leastPercent,
	} {
		require.Equal(t, want, percentFor(live), "of %d live bytes", live)
	}
	sample := []metrics.Sample{{Name: liveHeap}}
	metrics.Read(sample)
	require.Equal(t, metrics.KindUint64, sample[0].Value.Kind(), "the runtime has this metric")
}
