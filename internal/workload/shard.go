package workload

import (
	"fmt"
	"strconv"

	"github.com/benchd/benchd/internal/keyspace"
)

// Shard is one agent's part of a phase: what its workers share. All of its methods are safe for concurrent use.
type Shard struct {
	cfg    Config
	load   bool
	index  int
	count  int
	share  share
	mix    mix
	names  keyspace.Names
	fields [][]byte

	requests    keyspace.Distribution
	fieldLength keyspace.Distribution
	longest     int64 // field
	scanLength  keyspace.Distribution
}

// NewShard builds shard number shard of shards, for the load phase or for a run. workers tells how many workers each
// of the shards has.
func NewShard(cfg Config, load bool, shard, shards int, workers []int) (*Shard, error) {
	if shard < 0 || shard >= shards || len(workers) != shards || workers[shard] < 1 {
		return nil, fmt.Errorf("build shard %d of %d: workers %v do not fit", shard, shards, workers)
	}
	s := &Shard{
		cfg: cfg, load: load, index: shard, count: shards,
		share: newShare(workers),
		mix:   newMix(&cfg.Proportions),
		names: keyspace.NewNames(cfg.KeyPrefix, cfg.ZeroPadding, cfg.Ordered),
	}
	for i := range cfg.FieldCount {
		s.fields = append(s.fields, []byte(cfg.FieldNamePrefix+strconv.Itoa(i)))
	}
	s.fieldLength, s.longest = keyspace.Constant(cfg.FieldLength), int64(cfg.FieldLength)
	s.scanLength = keyspace.NewUniform(int64(cfg.MinScanLength), int64(max(cfg.MaxScanLength, cfg.MinScanLength)))
	if !load {
		s.requests = s.newRequests()
	}
	return s, nil
}

func (s *Shard) newRequests() keyspace.Distribution {
	first, count := s.cfg.InsertStart, s.cfg.RequestCount()
	if s.cfg.RequestDistribution == Zipfian {
		return keyspace.NewScrambled(first, first+count+s.cfg.expectedNew())
	}
	return keyspace.NewUniform(first, first+max(count, 1)-1)
}

// Workers is how many workers the shard has.
func (s *Shard) Workers() int { return s.share.workers[s.index] }

// Share is the part of total operations over all shards that falls to a worker of this one.
func (s *Shard) Share(total int64, worker int) int64 { return s.share.of(total, s.index, worker) }
