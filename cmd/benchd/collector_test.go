package main

import (
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/require"
)

// A heap has its usual garbage while it is small, and a fixed amount when it is larger.
func TestGarbageIsBounded(t *testing.T) {
	for live, want := range map[uint64]int{
		0: usualPercent, 10 << 20: usualPercent, garbageRoom: usualPercent, 2 * garbageRoom: 50, 4 * garbageRoom: 25, 100 * garbageRoom: leastPercent,
	} {
		require.Equal(t, want, percentFor(live), "of %d live bytes", live)
	}
	sample := []metrics.Sample{{Name: liveHeap}}
	metrics.Read(sample)
	require.Equal(t, metrics.KindUint64, sample[0].Value.Kind(), "the runtime has this metric")
}
