package agent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProcessorsAreListedAsRanges(t *testing.T) {
	for want, set := range map[string]cpuSet{
		"":         nil,
		"3":        {"cpu3": true},
		"0-1":      {"cpu1": true, "cpu0": true},
		"0-2,7,10": {"cpu7": true, "cpu10": true, "cpu2": true, "cpu0": true, "cpu1": true},
	} {
		require.Equal(t, want, set.text())
	}
}
