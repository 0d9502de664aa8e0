package workload

import (
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/keyspace"
)

// Proportions are the weights of the kinds of operation. They need not add up to one.
type Proportions struct {
	Read, Update, Insert, Scan, ReadModifyWrite                float64
	Delete, Increment, Append, MultiGet, CheckAndPut, MultiRow float64
}

// Config describes a workload: YCSB's CoreWorkload and benchd's extensions. The names are those of its properties.
type Config struct {
	RecordCount    int64
	OperationCount int64 // over all agents; 0 means no limit
	InsertStart    int64
	InsertCount    int64 // 0 means not set; see LoadCount and RequestCount
	InsertBase     int64 // first key number that a run inserts; 0 means RecordCount, as in YCSB

	// DealInserts assigns each worker its own key numbers to insert in a run, instead of letting the workers of a shard
	// take the next one, and lets it request no new rows but its own. The operations of a worker then follow from the
	// seed and the outcomes of its own inserts.
	DealInserts bool

	Proportions                            Proportions
	RequestDistribution                    Distribution
	RequestHistogram                       keyspace.Popularity // for Histogram requests
	HotspotDataFraction                    float64
	HotspotOpnFraction                     float64
	ExponentialPercentile, ExponentialFrac float64

	FieldCount              int
	FieldNamePrefix         string
	FieldLength             int
	MinFieldLength          int
	FieldLengthDistribution Distribution
	FieldLengthHistogram    *LengthHistogram // for Histogram field lengths
	ValueSizes              *LengthSample    // for Sample field lengths
	ValueRatio              float64          // compressed size by size; 0 means YCSB's values

	ReadAllFields       bool
	ReadAllFieldsByName bool
	WriteAllFields      bool

	MinScanLength, MaxScanLength int
	ScanLengthDistribution       Distribution

	Ordered     bool // insertorder is not "hashed"
	ZeroPadding int
	KeyPrefix   string
	KeyTemplate string // replaces the three above; see keyspace.Template

	DataIntegrity bool

	BatchSize    int // rows of one Insert; 1 means no batch
	MultiGetSize int // rows of one MultiGet
	MultiRowSize int // rows of one MultiRow
	IncrementBy  int64

	InsertionRetryLimit    int
	InsertionRetryInterval time.Duration
	InsertionKeepGoing     bool

	// Series makes it YCSB's TimeSeriesWorkload; nil is CoreWorkload.
	Series *Series

	Seed uint64 // of all random choices
}

// LengthHistogram is YCSB's histogram file of field lengths.
type LengthHistogram = keyspace.LengthHistogram

// LengthSample is a sample of the sizes of a user's values.
type LengthSample = keyspace.LengthSample

// Names returns the names of the rows. Every program that needs a key or the bounds of keys takes them from here.
func (c *Config) Names() (keyspace.Names, error) {
	if c.KeyTemplate == "" {
		return keyspace.NewNames(c.KeyPrefix, c.ZeroPadding, c.Ordered), nil
	}
	t, err := keyspace.ParseTemplate(c.KeyTemplate)
	if err != nil {
		return keyspace.Names{}, fmt.Errorf("parse key.template: %w", err)
	}
	return keyspace.NewTemplateNames(t), nil
}

// Splits returns the keys that divide the rows that are loaded into parts of the same size; see keyspace.Names.Quantiles.
func (c *Config) Splits(parts int) ([][]byte, error) {
	names, err := c.Names()
	if err != nil {
		return nil, err
	}
	return names.Quantiles(c.InsertStart, c.InsertStart+c.LoadCount(), parts), nil
}

// mostRows bounds the rows that a run inserts if nothing else bounds them: no cluster takes as many in a day.
const mostRows = 1 << 36

// rowsBelow returns the key number below which all rows of a load and a run are.
func (c *Config) rowsBelow() int64 {
	below := max(c.RecordCount, c.InsertStart+c.LoadCount())
	if c.Proportions.Insert > 0 {
		inserts := int64(mostRows)
		if c.OperationCount > 0 {
			inserts = min(mostRows, c.OperationCount) * 2 * int64(max(c.BatchSize, 1))
		}
		below = max(below, c.FirstInsert()+inserts)
	}
	return below
}

// LoadCount returns the number of rows that the load phase writes: InsertCount if set, else RecordCount (without
// subtracting InsertStart), as in YCSB.
func (c *Config) LoadCount() int64 {
	if c.InsertCount > 0 {
		return c.InsertCount
	}
	return c.RecordCount
}

// RequestCount returns the number of rows from InsertStart on that a run requests.
func (c *Config) RequestCount() int64 {
	if c.InsertCount > 0 {
		return c.InsertCount
	}
	return c.RecordCount - c.InsertStart
}

// FirstInsert returns the first key number that a run inserts, over all shards.
func (c *Config) FirstInsert() int64 {
	if c.InsertBase > 0 {
		return c.InsertBase
	}
	return c.RecordCount
}

// NamesOfHashes returns the names of rows whose keys are hashes already, as those of a trace may be: they look like those of the
// same hashes of key numbers.
func (c *Config) NamesOfHashes() keyspace.Names {
	return keyspace.NewNames(c.KeyPrefix, c.ZeroPadding, true)
}

// expectedNew returns YCSB's allowance for the rows that a run inserts, by which the range of the scrambled zipfian grows.
// It counts the operations of all shards, so that it is the same on each of them.
func (c *Config) expectedNew() int64 {
	const fudge = 2
	rows := float64(c.OperationCount) * c.Proportions.Insert * fudge
	return int64(rows) * int64(max(c.BatchSize, 1))
}
