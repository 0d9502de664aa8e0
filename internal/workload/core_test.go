package workload

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// core is YCSB's core workload with its defaults, over 1000 rows.
func core() Config {
	return Config{
		RecordCount: 1000,
		Proportions: Proportions{Read: 0.95, Update: 0.05}, RequestDistribution: Zipfian,
		HotspotDataFraction: 0.2, HotspotOpnFraction: 0.8, ExponentialPercentile: 95, ExponentialFrac: 0.8571428571,
		FieldCount: 10, FieldNamePrefix: "field", FieldLength: 100, MinFieldLength: 1, FieldLengthDistribution: Constant,
		ReadAllFields: true, MinScanLength: 1, MaxScanLength: 1000, ScanLengthDistribution: Uniform,
		ZeroPadding: 1, KeyPrefix: "user", BatchSize: 1, MultiGetSize: 10, IncrementBy: 1, Seed: 1,
	}
}

// everything is a mix of all kinds of operation.
func everything() Proportions {
	return Proportions{
		Read: 1, Update: 1, Insert: 1, Scan: 1, ReadModifyWrite: 1,
		Delete: 1, Increment: 1, Append: 1, MultiGet: 1, CheckAndPut: 1,
	}
}

func shard(t *testing.T, cfg Config, load bool, index int, workers ...int) *Shard {
	t.Helper()
	if len(workers) == 0 {
		workers = []int{1}
	}
	s, err := NewShard(cfg, load, index, len(workers), workers)
	require.NoError(t, err)
	return s
}

// copied returns a copy of an Op that the generator does not change.
func copied(op *Op) Op {
	c := *op
	c.Key = bytes.Clone(op.Key)
	c.Collect = nil
	for _, list := range []*[][]byte{&c.Keys, &c.Fields, &c.Values, &c.ReadFields} {
		*list = slices.Clone(*list)
		for i, b := range *list {
			(*list)[i] = bytes.Clone(b)
		}
	}
	return c
}

// take returns a generator's next n operations, all of which succeed.
func take(t *testing.T, g *Generator, n int) []Op {
	t.Helper()
	var op Op
	ops := make([]Op, n)
	for i := range ops {
		require.True(t, g.Next(&op))
		ops[i] = copied(&op)
		g.Done(&op, Outcome{Code: OK})
	}
	return ops
}
