package pacing

import (
	"math"
	"math/rand/v2"
	"time"
)

// Throttle paces one worker of a closed loop as YCSB's target property does: the worker waits for an instant in the
// future, and continues at once if the instant has passed. The instants are never shifted, so that a worker that fell
// behind catches up. A Throttle serves one goroutine.
type Throttle struct {
	tick  float64 // ns
	start float64 // ns
	ops   int64
}

// NewThrottle returns the throttle of a worker of a shard; workers is their number over all shards. Without a CatchUp
// rate it is nil. At up to one operation per millisecond and worker it starts at a random instant within the first tick,
// so that the workers do not start together.
func NewThrottle(cfg Config, shard, worker, workers int, seed uint64) *Throttle {
	if cfg.CatchUp <= 0 {
		return nil
	}
	const slow = 1e6 // ns
	t := &Throttle{tick: float64(workers) * 1e9 / cfg.CatchUp}
	if t.tick >= slow {
		t.start = rand.New(stream(seed, streamStarts, shard, worker)).Float64() * t.tick
	}
	return t
}

// Skip omits the instants before an offset, so that a worker that starts there has nothing to catch up with.
func (t *Throttle) Skip(before time.Duration) {
	t.ops = max(t.ops, int64(math.Ceil((float64(before)-t.start)/t.tick)))
}

// Claim returns the offset, from the start of the phase, at which the worker's next operation is intended. It is not sent
// earlier.
func (t *Throttle) Claim() time.Duration {
	at := duration(t.start + float64(t.ops)*t.tick)
	t.ops++
	return at
}
