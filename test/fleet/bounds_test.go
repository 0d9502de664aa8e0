//go:build integration

package fleet

import (
	"time"

	"github.com/benchd/benchd/test/simulated"
)

// bounds are limits of a run with many agents.
type bounds struct {
	cores  float64
	memory int64
	latest time.Duration
}

// boundsOf returns the limits of a run. Beside more than a thousand simulated agents two processors are busy, so that windows may be late.
func boundsOf(agents int) bounds {
	if agents > 1000 {
		return bounds{1.8, 1 << 30, stalled}
	}
	return bounds{0.5, 512 << 20, simulated.Interval}
}
