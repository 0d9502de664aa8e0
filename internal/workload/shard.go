package workload

import (
	"fmt"
	"strconv"

	"github.com/benchd/benchd/internal/keyspace"
)

// Shard is one agent's part of a phase: what its workers share. Its methods are safe for concurrent use.
type Shard struct {
	cfg   Config
	load  bool
	index int
	share share

	mix    mix
	names  keyspace.Names
	fields [][]byte // names

	requests    requests
	inserts     []*inserts // of a run: of all workers, or where they are dealt out of each
	fieldLength lengths
	scanLength  lengths
}

// lengths draws lengths of up to longest.
type lengths struct {
	keyspace.Distribution
	longest int64
}

// NewShard builds shard number shard of shards, for the load phase or for a run. workers is how many workers each
// of the shards has. A configuration that Validate refuses is refused.
func NewShard(cfg Config, load bool, shard, shards int, workers []int) (*Shard, error) {
	if shard < 0 || shard >= shards || len(workers) != shards || workers[shard] < 1 {
		return nil, fmt.Errorf("build shard %d of %d: numbers of workers %v do not fit", shard, shards, workers)
	}
	if err := cfg.validate(load); err != nil {
		return nil, fmt.Errorf("build shard %d of %d: %w", shard, shards, err)
	}
	cfg.BatchSize = max(cfg.BatchSize, 1)
	s := &Shard{
		cfg: cfg, load: load, index: shard,
		share: newShare(workers),
		mix:   newMix(&cfg.Proportions),
		names: keyspace.NewNames(cfg.KeyPrefix, cfg.ZeroPadding, cfg.Ordered),
		fieldLength: drawing(cfg.FieldLengthDistribution, Constant).lengths(int64(cfg.MinFieldLength), int64(cfg.FieldLength),
			cfg.FieldLengthHistogram),
		scanLength: newScanLengths(&cfg),
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

// deal gives out the key numbers that a run inserts: to each shard one of shards, or to each worker one of all.
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
		// A worker waits for the answer to one insert before the next: a batch is all that it has under way.
		s.inserts = append(s.inserts, newInserts(base, known, s.share.rank(shard, worker), s.share.all, s.cfg.BatchSize))
	}
}

// insertsOf is what a worker inserts, and with whom.
func (s *Shard) insertsOf(worker int) *inserts { return s.inserts[min(worker, len(s.inserts)-1)] }

func newScanLengths(cfg *Config) lengths {
	d := drawing(cfg.ScanLengthDistribution, Uniform)
	if cfg.Proportions.Scan <= 0 || !d.DrawsScans() {
		return lengths{} // what is not used was not validated
	}
	return d.lengths(int64(cfg.MinScanLength), int64(cfg.MaxScanLength), nil)
}

// Share is the part of total operations over all shards that falls to a worker of this one: equal parts, of which
// the first workers of every shard get what is left over.
func (s *Shard) Share(total int64, worker int) int64 { return s.share.of(total, s.index, worker) }

// EvenShare is the part of total operations over all shards that falls to this one in an open loop, in which every
// shard offers the same rate, however many workers it has: as many as its schedule intends of the first total.
func (s *Shard) EvenShare(total int64) int64 { return even(total, s.index, len(s.share.workers)) }

// Watermark is the key number below which all rows that this shard was to insert have been acknowledged. The
// smallest watermark of all shards is what SetWatermark takes.
func (s *Shard) Watermark() int64 {
	var smallest int64
	for i, in := range s.inserts {
		if key := in.watermark() + in.gap; i == 0 || key < smallest {
			smallest = key
		}
	}
	return smallest
}

// SetWatermark records that every shard has inserted all its rows below a key number, so that requests may ask
// for them. Until then they ask for the shard's own new rows only. A watermark never goes back. Where inserts are dealt
// out it changes nothing: when it comes is chance.
func (s *Shard) SetWatermark(smallest int64) {
	if s.cfg.DealInserts {
		return
	}
	for _, in := range s.inserts {
		in.learn(smallest - in.gap)
	}
}

// InsertedRows counts the rows that the shard has inserted in a run and that are there for certain.
func (s *Shard) InsertedRows() int64 {
	var n int64
	for _, in := range s.inserts {
		n += in.acked.Load() - in.holes.Load()
	}
	return n
}

// InsertedBelow is the key number from which on the shard has handed out none to inserts of a run.
func (s *Shard) InsertedBelow() int64 {
	below := s.cfg.FirstInsert()
	for _, in := range s.inserts {
		if n := in.claimed.Load(); n > 0 {
			below = max(below, in.number(n-1)+in.gap+1)
		}
	}
	return below
}
