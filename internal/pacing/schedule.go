package pacing

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Schedule hands out the intended instants of one shard's operations.
type Schedule interface {
	// Claim returns the offset, from the start of the phase, at which the shard's next operation is intended. It is
	// safe for concurrent use and never goes back.
	Claim() time.Duration
}

// New returns the schedule of shard number shard of shards. A closed loop has none: its schedule is nil.
func New(cfg Config, shard, shards int, seed uint64) (Schedule, error) {
	if shard < 0 || shard >= shards {
		return nil, fmt.Errorf("build schedule: there is no shard %d of %d", shard, shards)
	}
	switch cfg.Arrival {
	case ClosedLoop, "":
		return nil, nil
	case FixedRate:
		return &fixed{rate: cfg.Rate[0].From, shard: int64(shard), shards: int64(shards)}, nil
	}
	return nil, fmt.Errorf("build schedule: arrival %q is not known", cfg.Arrival)
}

// fixed intends global operation k at the instant where k operations are due.
type fixed struct {
	claimed       atomic.Int64
	rate          float64
	shard, shards int64
}

func (f *fixed) Claim() time.Duration {
	k := f.shard + (f.claimed.Add(1)-1)*f.shards
	return time.Duration(float64(k) / f.rate * 1e9)
}
