package workload

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMistakesAreNamedByTheirProperty(t *testing.T) {
	for _, test := range []struct {
		change   func(*Config)
		property string
		text     string
	}{
		{func(c *Config) { c.RecordCount = -1 }, "recordcount", "recordcount=-1 is too small; write 0 or more"},
		{func(c *Config) { c.RecordCount = 0; c.Proportions = Proportions{Insert: 1} }, "recordcount", "recordcount=0 leaves nothing to load; write the number of rows"},
		{func(c *Config) { c.InsertStart = -1 }, "insertstart", ""},
		{func(c *Config) { c.InsertStart, c.InsertCount = 500, 501 }, "recordcount", "recordcount=1000 is less than needed for the requested rows 500 to 1000; write recordcount=1001 or more, or lower insertstart and insertcount"},
		{func(c *Config) { c.OperationCount = -1 }, "operationcount", ""},
		{func(c *Config) { c.OperationCount, c.Proportions.Insert = math.MaxInt64, 1 }, "operationcount", ""},
		{func(c *Config) { c.FieldCount = 0 }, "fieldcount", ""},
		{func(c *Config) { c.FieldLength = 0 }, "fieldlength", ""},
		{func(c *Config) { c.FieldLengthDistribution, c.MinFieldLength = Uniform, 101 }, "minfieldlength", "minfieldlength=101 is more than fieldlength=100; lower it, or raise fieldlength"},
		{func(c *Config) { c.FieldLengthDistribution = Latest }, "fieldlengthdistribution", "fieldlengthdistribution=latest is unknown; write constant, uniform, zipfian, histogram or sample"},
		{func(c *Config) { c.FieldLengthDistribution = Histogram }, "fieldlengthhistogram", ""},
		{func(c *Config) {
			c.FieldLengthDistribution, c.FieldLengthHistogram = Histogram, &LengthHistogram{BlockSize: 1, Buckets: []int64{-1}}
		}, "fieldlengthhistogram", ""},
		{func(c *Config) {
			c.FieldLengthDistribution, c.FieldLengthHistogram = Histogram, &LengthHistogram{}
		}, "fieldlengthhistogram", ""},
		{func(c *Config) { c.FieldLength = 1 << 30 }, "fieldlength", "fieldlength=1073741824 makes one insert 1.07e+10 bytes long with fieldcount=10 and batchsize=1, more than the maximum of 268435456; lower one of the three"},
		{func(c *Config) { c.DataIntegrity, c.FieldLengthDistribution = true, Uniform }, "fieldlengthdistribution", ""},
		{func(c *Config) { c.DataIntegrity, c.KeyPrefix = true, "é" }, "keyprefix", ""},
		{func(c *Config) { c.DataIntegrity, c.Proportions.Append = true, 1 }, "appendproportion", ""},
		{func(c *Config) { c.Proportions = Proportions{} }, "readproportion", "readproportion=0 and all other proportions leave nothing to do; write a proportion above 0"},
		{func(c *Config) { c.Proportions.Scan = -1 }, "scanproportion", "scanproportion=-1 is out of range; write 0 or more"},
		{func(c *Config) { c.Proportions.Update = math.NaN() }, "updateproportion", ""},
		{func(c *Config) { c.Proportions.MultiGet, c.MultiGetSize = 1, 0 }, "multiget.size", ""},
		{func(c *Config) { c.RequestDistribution = "zipfain" }, "requestdistribution", "requestdistribution=zipfain is unknown; write uniform, zipfian, latest, hotspot, exponential, sequential or histogram"},
		{func(c *Config) { c.RequestDistribution, c.HotspotDataFraction = Hotspot, 1.5 }, "hotspotdatafraction", ""},
		{func(c *Config) { c.RequestDistribution, c.HotspotOpnFraction = Hotspot, -0.1 }, "hotspotopnfraction", ""},
		{func(c *Config) { c.RequestDistribution, c.ExponentialPercentile = Exponential, 100 }, "exponential.percentile", ""},
		{func(c *Config) { c.RequestDistribution, c.ExponentialFrac = Exponential, 0 }, "exponential.frac", ""},
		{func(c *Config) { c.Proportions.Scan, c.MinScanLength = 1, 0 }, "minscanlength", ""},
		{func(c *Config) { c.Proportions.Scan, c.MinScanLength = 1, 1001 }, "minscanlength", ""},
		{func(c *Config) { c.Proportions.Scan, c.ScanLengthDistribution = 1, Hotspot }, "scanlengthdistribution", ""},
		{func(c *Config) { c.InsertionRetryLimit = -1 }, "core_workload_insertion_retry_limit", ""},
		{func(c *Config) { c.InsertionRetryInterval = -1 }, "core_workload_insertion_retry_interval", ""},
		{func(c *Config) { c.BatchSize = -1 }, "batchsize", ""},
		{func(c *Config) { c.ZeroPadding = -1 }, "zeropadding", ""},
	} {
		cfg := core()
		test.change(&cfg)
		err := cfg.Validate()
		wrong, ok := errors.AsType[*PropertyError](err)
		require.True(t, ok, "%s: %v", test.property, err)
		require.Equal(t, test.property, wrong.Property)
		require.NotEmpty(t, wrong.Cure)
		if test.text != "" {
			require.EqualError(t, wrong, test.text)
		}
		_, loadErr := NewShard(cfg, true, 0, 1, []int{1})
		_, runErr := NewShard(cfg, false, 0, 1, []int{1})
		require.Error(t, errors.Join(loadErr, runErr), test.property)
	}
}

func TestGoodConfigurationsAreAccepted(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"defaults": func(*Config) {},
		"empty names": func(c *Config) {
			c.RequestDistribution, c.FieldLengthDistribution, c.ScanLengthDistribution = "", "", ""
		},
		"beyond 2^31":      func(c *Config) { c.RecordCount, c.OperationCount = 4_200_000_000, 10_000_000_000 },
		"no scans":         func(c *Config) { c.MinScanLength, c.MaxScanLength = 0, 0 },
		"everything":       func(c *Config) { c.Proportions = everything() },
		"a part":           func(c *Config) { c.InsertStart, c.InsertCount = 500, 500 },
		"weights":          func(c *Config) { c.Proportions = Proportions{Read: 17, Insert: 83} },
		"unused fractions": func(c *Config) { c.HotspotDataFraction, c.ExponentialPercentile = 7, 0 },
	} {
		cfg := core()
		change(&cfg)
		require.NoError(t, cfg.Validate(), name)
		for _, load := range []bool{true, false} {
			_, err := NewShard(cfg, load, 0, 1, []int{1})
			require.NoError(t, err, name)
		}
	}
}

// A run of inserts alone needs no existing rows, and a load requests none.
func TestEachPhaseValidatesOnlyItsSettings(t *testing.T) {
	cfg := core()
	cfg.RecordCount, cfg.Proportions = 0, Proportions{Insert: 1}
	_, err := NewShard(cfg, false, 0, 1, []int{1})
	require.NoError(t, err)
	cfg = core()
	cfg.InsertStart, cfg.InsertCount = 1000, 500 // past recordcount, which YCSB's clients do in parallel loads
	_, err = NewShard(cfg, true, 0, 1, []int{1})
	require.NoError(t, err)
}

func TestShardsThatDoNotFitAreRefused(t *testing.T) {
	for _, test := range []struct {
		index, shards int
		workers       []int
	}{{-1, 1, []int{1}}, {1, 1, []int{1}}, {0, 2, []int{1}}, {0, 1, []int{0}}, {0, 0, nil}} {
		_, err := NewShard(core(), false, test.index, test.shards, test.workers)
		require.Error(t, err, "%+v", test)
	}
}

func TestKindsAndCodesHaveTheirNames(t *testing.T) {
	require.Equal(t, "READ-MODIFY-WRITE", ReadModifyWrite.String())
	require.Equal(t, "CLEANUP", (NumKinds - 1).String())
	require.Equal(t, "NOT_FOUND", NotFound.String())
	require.Equal(t, "BATCHED_OK", (NumCodes - 1).String())
	require.True(t, OK.Good() && BatchedOK.Good())
	require.False(t, NotFound.Good())
}
