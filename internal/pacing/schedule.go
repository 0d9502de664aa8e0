package pacing

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Schedule returns the intended instants of one shard's operations.
type Schedule interface {
	// Claim returns the offset, from the start of the phase, at which the shard's next operation is intended. It is
	// safe for concurrent use; it returns each operation once, in order.
	Claim() time.Duration
	// Skip omits the operations that are intended before an offset. It is called before the first Claim.
	Skip(before time.Duration)
}

// New returns the schedule of shard number shard of shards. The schedule of a closed loop is nil, and so is that of a replay.
func New(cfg Config, shard, shards int, seed uint64) (Schedule, error) {
	if shard < 0 || shard >= shards {
		return nil, fmt.Errorf("build schedule: invalid shard %d of %d", shard, shards)
	}
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("build schedule: %w", err)
	}
	switch cfg.Arrival {
	case FixedRate:
		return &fixed{rate: cfg.Rate, curve: newCurve(cfg.Rate), shard: int64(shard), shards: int64(shards)}, nil
	case Poisson:
		return &poisson{
			rate: cfg.Rate, curve: newCurve(cfg.Rate), shards: float64(shards),
			random: rand.New(stream(seed, streamArrivals, shard, 0)),
		}, nil
	case ClosedLoop, Replay:
	}
	return nil, nil
}

// fixed intends operation k of all shards at the instant at which k operations are due; shard s of n has the operations
// s, s+n, s+2n, …. The instant follows from k alone, so that it does not drift.
type fixed struct {
	rate          Rate
	curve         curve
	shard, shards int64
	claimed       atomic.Int64
}

func (f *fixed) Claim() time.Duration {
	k := f.shard + (f.claimed.Add(1)-1)*f.shards
	return f.curve.at(float64(k))
}

// Skip starts with the first operation that is not intended before the offset. The area under the rate gives it except for
// rounding.
func (f *fixed) Skip(before time.Duration) {
	at := func(n int64) time.Duration { return f.curve.at(float64(f.shard + n*f.shards)) }
	n := max(0, (int64(f.rate.Area(before.Seconds()))-f.shard)/f.shards)
	for n > 0 && at(n-1) >= before {
		n--
	}
	for at(n) < before {
		n++
	}
	f.claimed.Store(n)
}

// poisson intends operations at the arrivals of a Poisson process. For a rate λ over n shards each shard has an independent
// process of rate λ/n; together they are a process of rate λ. The gaps are drawn in operations due, where the process is
// homogeneous for any rate, and then mapped to instants by the curve.
type poisson struct {
	rate   Rate
	curve  curve
	shards float64

	mu     sync.Mutex
	random *rand.Rand
	due    float64
}

func (p *poisson) Claim() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.due -= math.Log(1-p.random.Float64()) * p.shards
	return p.curve.at(p.due)
}

// Skip continues from the offset: the time to the next arrival does not depend on earlier arrivals.
func (p *poisson) Skip(before time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.due = max(p.due, p.rate.Area(before.Seconds()))
}

// The purposes of streams of random numbers.
const (
	streamArrivals = iota
	streamStarts
)

// stream returns a source of random numbers for one purpose of one worker of one shard.
func stream(seed uint64, purpose, shard, worker int) rand.Source {
	var key [32]byte
	for i, part := range []uint64{seed, uint64(purpose), uint64(shard), uint64(worker)} {
		binary.LittleEndian.PutUint64(key[8*i:], part)
	}
	return rand.NewChaCha8(key)
}
