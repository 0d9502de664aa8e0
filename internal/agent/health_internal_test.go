package agent

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Law 7: the busiest interface counts, in its busier direction, against its own speed.
func TestNetUseIsThatOfTheBusiestInterface(t *testing.T) {
	const gigabit = 125e6 // bytes a second
	before := map[string]traffic{"eth0": {1000, 2000, gigabit}, "eth1": {0, 0, 10 * gigabit}}
	now := map[string]traffic{
		"eth0": {1000 + 2*100e6, 2000 + 2*50e6, gigabit}, "eth1": {2 * 500e6, 0, 10 * gigabit},
		"eth2": {1 << 40, 0, gigabit}, // came in between
	}
	require.InDelta(t, 0.8, netUse(before, now, 2*time.Second), 1e-9)
	require.Zero(t, netUse(before, nil, time.Second))
	require.Zero(t, netUse(now, before, time.Second), "a counter that restarts is ignored")
	require.InDelta(t, 1.0, netUse(before, now, time.Second/10), 1e-9)
	require.Zero(t, netUse(before, now, 0))
}
