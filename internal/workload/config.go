package workload

import (
	"time"

	"github.com/benchd/benchd/internal/keyspace"
)

// Proportions weighs the kinds of operation against each other; they need not add up to one.
type Proportions struct {
	Read, Update, Insert, Scan, ReadModifyWrite      float64
	Delete, Increment, Append, MultiGet, CheckAndPut float64
}

// Config describes a workload: YCSB's CoreWorkload and what goes beyond it. The names are those of its
// properties.
type Config struct {
	RecordCount    int64
	OperationCount int64 // over all agents; 0 is endless
	InsertStart    int64
	InsertCount    int64 // 0 is not given; see LoadCount and RequestCount
	InsertBase     int64 // first key number that a run inserts; 0 is RecordCount, as YCSB

	// DealInserts gives each worker key numbers of its own to insert in a run, instead of letting the workers of a shard
	// take the next one as they come, and lets it ask for no new rows but its own. So all that a worker does follows
	// from the seed and from what became of its own inserts.
	DealInserts bool

	Proportions                            Proportions
	RequestDistribution                    Distribution
	HotspotDataFraction                    float64
	HotspotOpnFraction                     float64
	ExponentialPercentile, ExponentialFrac float64

	FieldCount              int
	FieldNamePrefix         string
	FieldLength             int
	MinFieldLength          int
	FieldLengthDistribution Distribution
	FieldLengthHistogram    *LengthHistogram // of Histogram field lengths

	ReadAllFields       bool
	ReadAllFieldsByName bool
	WriteAllFields      bool

	MinScanLength, MaxScanLength int
	ScanLengthDistribution       Distribution

	Ordered     bool // insertorder is not "hashed"
	ZeroPadding int
	KeyPrefix   string

	DataIntegrity bool

	BatchSize    int // rows of one Insert; 1 is no batch
	MultiGetSize int // rows of one MultiGet
	IncrementBy  int64

	InsertionRetryLimit    int
	InsertionRetryInterval time.Duration
	InsertionKeepGoing     bool

	Seed uint64 // of all that is drawn; the run's own is chosen where none is given
}

// LengthHistogram is YCSB's histogram file of field lengths.
type LengthHistogram = keyspace.LengthHistogram

// LoadCount is how many rows the load phase writes: InsertCount where it is given, else RecordCount (and not what is
// left after InsertStart), as YCSB.
func (c *Config) LoadCount() int64 {
	if c.InsertCount > 0 {
		return c.InsertCount
	}
	return c.RecordCount
}

// RequestCount is how many rows from InsertStart on a run asks for.
func (c *Config) RequestCount() int64 {
	if c.InsertCount > 0 {
		return c.InsertCount
	}
	return c.RecordCount - c.InsertStart
}

// FirstInsert is the first key number that a run inserts, over all shards.
func (c *Config) FirstInsert() int64 {
	if c.InsertBase > 0 {
		return c.InsertBase
	}
	return c.RecordCount
}

// expectedNew is YCSB's allowance for the rows that a run inserts; it widens the range of the scrambled zipfian.
// It counts the operations of all shards and therefore is the same on each of them.
func (c *Config) expectedNew() int64 {
	const fudge = 2
	rows := float64(c.OperationCount) * c.Proportions.Insert * fudge
	return int64(rows) * int64(max(c.BatchSize, 1))
}
