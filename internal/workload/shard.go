package workload

import (
	"fmt"
	"strconv"

	"github.com/benchd/benchd/internal/keyspace"
)

// Shard is one agent's part of a phase, which its workers share. Its methods are safe for concurrent use.
type Shard struct {
	cfg   Config
	load  bool
	index int
	share share

	mix    mix
	names  keyspace.Names
	fields [][]byte // names

	requests    requests
	inserts     []*inserts // for a run: one for all workers, or one for each if inserts are dealt
	fieldLength lengths
	scanLength  lengths

	series *series // nil for CoreWorkload
}

// lengths draws lengths of up to longest.
type lengths struct {
	keyspace.Distribution
	longest int64
}

// NewShard builds shard number shard of shards, for the load phase or for a run. workers are the numbers of workers of all
// shards. It refuses an invalid configuration, as Validate does.
func NewShard(cfg Config, load bool, shard, shards int, workers []int) (*Shard, error) {
	if shard < 0 || shard >= shards || len(workers) != shards || workers[shard] < 1 {
		return nil, fmt.Errorf("build shard %d of %d: invalid numbers of workers %v", shard, shards, workers)
	}
	if err := cfg.validate(load); err != nil {
		return nil, fmt.Errorf("build shard %d of %d: %w", shard, shards, err)
	}
	cfg.BatchSize = max(cfg.BatchSize, 1)
	s := &Shard{
		cfg: cfg, load: load, index: shard,
		share:       newShare(workers),
		mix:         newMix(&cfg.Proportions),
		fieldLength: drawing(cfg.FieldLengthDistribution, Constant).lengths(int64(cfg.MinFieldLength), int64(cfg.FieldLength), &cfg),
		scanLength:  newScanLengths(&cfg),
	}
	var err error
	if s.names, err = cfg.Names(); err != nil {
		return nil, fmt.Errorf("build shard %d of %d: %w", shard, shards, err)
	}
	if cfg.Series != nil {
		return s.ofSeries(shard, shards)
	}
	for i := range cfg.FieldCount {
		s.fields = append(s.fields, []byte(cfg.FieldNamePrefix+strconv.Itoa(i)))
	}
	if !load {
		s.requests = newRequests(&cfg)
		s.deal(shard, shards)
	}
	return s, nil
}

// ofSeries completes a shard of time series. Its rows are the keys of the series.
func (s *Shard) ofSeries(shard, shards int) (*Shard, error) {
	if keys := int64(s.cfg.FieldCount); keys < s.share.all {
		return nil, fmt.Errorf("build shard %d of %d: each of %d threads writes its own time series, but there are %d keys: raise fieldcount, or use fewer threads",
			shard, shards, s.share.all, keys)
	}
	s.series = newSeries(&s.cfg)
	if s.load {
		return s, nil
	}
	keys := s.cfg
	keys.RecordCount, keys.InsertStart, keys.InsertCount, keys.OperationCount, keys.Proportions.Insert = int64(s.cfg.FieldCount), 0, 0, 0, 0
	s.requests = newRequests(&keys)
	s.inserts = []*inserts{newInserts(keys.RecordCount, keys.RecordCount, int64(shard), int64(shards), 0)}
	return s, nil
}

// deal assigns the key numbers that a run inserts to the shards, or to all workers if inserts are dealt.
func (s *Shard) deal(shard, shards int) {
	base, known := s.cfg.FirstInsert(), s.cfg.RecordCount
	gap := max(0, base-known)
	base -= gap
	defer func() {
		for _, in := range s.inserts {
			in.gap = gap
		}
	}()
	if !s.mix.has(Insert) {
		s.inserts = []*inserts{newInserts(base, known, int64(shard), int64(shards), 0)}
		return
	}
	if !s.cfg.DealInserts {
		s.inserts = []*inserts{newInserts(base, known, int64(shard), int64(shards), insertWindow)}
		return
	}
	for worker := range s.share.workers[shard] {
		// A worker waits for the answer to an insert before the next one: at most one batch is in flight.
		s.inserts = append(s.inserts, newInserts(base, known, s.share.rank(shard, worker), s.share.all, s.cfg.BatchSize))
	}
}

// insertsOf returns the inserts of a worker, which it may share with others.
func (s *Shard) insertsOf(worker int) *inserts { return s.inserts[min(worker, len(s.inserts)-1)] }

func newScanLengths(cfg *Config) lengths {
	d := drawing(cfg.ScanLengthDistribution, Uniform)
	if cfg.Proportions.Scan <= 0 || !d.DrawsScans() {
		return lengths{} // an unused distribution was not validated
	}
	return d.lengths(int64(cfg.MinScanLength), int64(cfg.MaxScanLength), cfg)
}

// Share returns a worker's part of total operations over all shards: equal parts, with the remainder given to the first
// workers of every shard.
func (s *Shard) Share(total int64, worker int) int64 { return s.share.of(total, s.index, worker) }

// EvenShare returns this shard's part of total operations over all shards in an open loop, where every shard offers the same
// rate regardless of its number of workers. It is the number of the first total operations that its schedule intends.
func (s *Shard) EvenShare(total int64) int64 { return even(total, s.index, len(s.share.workers)) }

// Watermark returns the key number below which all rows of this shard have been acknowledged. SetWatermark takes the
// smallest watermark of all shards.
func (s *Shard) Watermark() int64 {
	var smallest int64
	for i, in := range s.inserts {
		if key := in.watermark() + in.gap; i == 0 || key < smallest {
			smallest = key
		}
	}
	return smallest
}

// SetWatermark records that every shard has inserted all its rows below a key number, so that workers may request them.
// Until then they request only the shard's own new rows. A watermark never decreases. If inserts are dealt, it has no
// effect, because its timing is not reproducible.
func (s *Shard) SetWatermark(smallest int64) {
	if s.cfg.DealInserts {
		return
	}
	for _, in := range s.inserts {
		in.learn(smallest - in.gap)
	}
}

// InsertedRows returns the number of rows that the shard has inserted in a run and that exist for certain.
func (s *Shard) InsertedRows() int64 {
	var n int64
	for _, in := range s.inserts {
		n += in.acked.Load() - in.holes.Load()
	}
	return n
}

// InsertedBelow returns the key number from which on the shard has assigned none to inserts of a run.
func (s *Shard) InsertedBelow() int64 {
	below := s.cfg.FirstInsert()
	for _, in := range s.inserts {
		if n := in.claimed.Load(); n > 0 {
			below = max(below, in.number(n-1)+in.gap+1)
		}
	}
	return below
}
