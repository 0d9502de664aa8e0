package workload

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoadWritesEachRowOnce(t *testing.T) {
	for _, test := range []struct {
		name                 string
		records, start, rows int64 // rows is insertcount
		batch                int
		workers              []int
		first, last          int64
	}{
		{name: "one worker", records: 100, workers: []int{1}, first: 0, last: 99},
		{name: "three shards", records: 100, workers: []int{2, 3, 1}, first: 0, last: 99},
		{name: "more workers than rows", records: 3, workers: []int{4, 4}, first: 0, last: 2},
		{name: "a part", records: 100, start: 20, rows: 50, workers: []int{3, 3}, first: 20, last: 69},
		{name: "past recordcount, as YCSB without insertcount", records: 100, start: 20, workers: []int{2}, first: 20, last: 119},
		{name: "batches", records: 101, batch: 7, workers: []int{2, 1}, first: 0, last: 100},
		{name: "beyond 2^31", records: 1 << 33, start: 1 << 32, rows: 10, workers: []int{2}, first: 1 << 32, last: 1<<32 + 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := core()
			cfg.RecordCount, cfg.InsertStart, cfg.InsertCount = test.records, test.start, test.rows
			cfg.BatchSize, cfg.Ordered, cfg.FieldCount = test.batch, true, 2
			next := test.first
			for index := range test.workers {
				s := shard(t, cfg, true, index, test.workers...)
				for worker := range test.workers[index] {
					g := s.Generator(worker)
					var op Op
					for g.Next(&op) {
						require.Equal(t, Insert, op.Kind)
						keys := op.Keys
						if test.batch <= 1 {
							require.Nil(t, keys)
							keys = [][]byte{op.Key}
						}
						require.Len(t, op.Fields, 2)
						require.Len(t, op.Values, 2*len(keys))
						for _, key := range keys {
							require.Equal(t, fmt.Sprintf("user%d", next), string(key), "ranges follow each other")
							next++
						}
						g.Done(&op, Outcome{Code: OK})
					}
					require.False(t, g.Next(&op), "and stays at its end")
				}
			}
			require.Equal(t, test.last+1, next)
		})
	}
}

func TestRunYieldsOperationcountOverAllShards(t *testing.T) {
	cfg := core()
	cfg.OperationCount = 1001
	total := 0
	for index, workers := range []int{3, 2} {
		s := shard(t, cfg, false, index, 3, 2)
		for worker := range workers {
			g, n := s.Generator(worker), 0
			var op Op
			for g.Next(&op) {
				g.Done(&op, Outcome{})
				n++
			}
			require.InDelta(t, 1001/5, n, 1)
			total += n
		}
	}
	require.Equal(t, 1001, total)
}

func TestLimitOverridesOperationcount(t *testing.T) {
	cfg := core()
	cfg.OperationCount = 5
	g := shard(t, cfg, false, 0).Generator(0)
	g.Limit(Endless) // a warm-up
	take(t, g, 100)
	g.Limit(3)
	take(t, g, 3)
	var op Op
	require.False(t, g.Next(&op))
	cfg.OperationCount = 0
	take(t, shard(t, cfg, false, 0).Generator(0), 1000)
}

func TestKindsComeInTheirProportions(t *testing.T) {
	for _, p := range []Proportions{
		{Read: 0.5, Update: 0.5},
		{Read: 17, Insert: 83},
		{Scan: 0.95, Insert: 0.05},
		{Read: 0.4, Insert: 0.2, Update: 0.2, Scan: 0.2},
		{Delete: 0.1},
		everything(),
	} {
		m := newMix(&p)
		g := shard(t, core(), false, 0).Generator(0)
		counts := map[Kind]float64{}
		for range draws {
			counts[m.draw(&g.kinds)]++
		}
		var sum float64
		for _, w := range p.Shares() {
			sum += w.Value
		}
		for _, w := range p.Shares() {
			share := w.Value / sum
			deviation := math.Sqrt(draws * share * (1 - share))
			require.InDelta(t, draws*share, counts[w.Kind], 4*deviation, "%v of %+v", w.Kind, p)
		}
	}
}

// The fields of operations follow section 4 of the reference.
func TestOperationsTouchTheFieldsThatYCSBTouches(t *testing.T) {
	const none, one, all = 0, 1, 10
	type want struct{ read, write int }
	for _, test := range []struct {
		name   string
		change func(*Config)
		want   map[Kind]want
	}{
		{"defaults", func(*Config) {}, map[Kind]want{
			Read: {none, none}, Scan: {none, none}, ReadModifyWrite: {none, one}, Update: {none, one},
			Insert: {none, all}, MultiGet: {none, none}, Append: {none, one}, CheckAndPut: {none, one}, Delete: {none, none},
		}},
		{"readallfieldsbyname", func(c *Config) { c.ReadAllFieldsByName = true }, map[Kind]want{
			Read: {all, none}, Scan: {none, none}, ReadModifyWrite: {none, one}, MultiGet: {all, none},
		}},
		{"one field", func(c *Config) { c.ReadAllFields, c.ReadAllFieldsByName = false, true }, map[Kind]want{
			Read: {one, none}, Scan: {one, none}, ReadModifyWrite: {one, one}, MultiGet: {one, none},
		}},
		{"writeallfields", func(c *Config) { c.WriteAllFields = true }, map[Kind]want{
			Read: {none, none}, ReadModifyWrite: {none, all}, Update: {none, all}, Insert: {none, all},
			CheckAndPut: {none, all}, Append: {none, one},
		}},
		{"dataintegrity", func(c *Config) { c.DataIntegrity, c.Proportions.Append = true, 0 }, map[Kind]want{
			Read: {all, none}, Scan: {none, none}, ReadModifyWrite: {none, one}, Update: {none, one},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := core()
			cfg.Proportions = everything()
			test.change(&cfg)
			seen := map[Kind]bool{}
			for _, op := range take(t, shard(t, cfg, false, 0).Generator(0), 300) {
				seen[op.Kind] = true
				want, listed := test.want[op.Kind]
				if !listed {
					continue
				}
				read, write := op.Fields, op.Fields
				switch {
				case op.Kind == ReadModifyWrite:
					read = op.ReadFields
				case op.Values == nil:
					write = nil
				default:
					read = nil
				}
				require.Len(t, read, want.read, "fields that %v reads", op.Kind)
				require.Len(t, write, want.write, "fields that %v writes", op.Kind)
				require.Len(t, op.Values, want.write)
				for _, f := range append(read, write...) {
					require.Regexp(t, `^field\d$`, string(f))
				}
			}
			for kind := range test.want {
				require.True(t, seen[kind], "no %v was drawn", kind)
			}
		})
	}
}

func TestOperationsHaveTheArgumentsOfTheirKind(t *testing.T) {
	cfg := core()
	cfg.Proportions, cfg.MaxScanLength, cfg.MultiGetSize, cfg.BatchSize, cfg.IncrementBy = everything(), 50, 7, 3, 5
	longest := 0
	for _, op := range take(t, shard(t, cfg, false, 0).Generator(0), 2000) {
		switch op.Kind {
		case MultiGet, Insert:
			require.Nil(t, op.Key)
			require.Len(t, op.Keys, map[Kind]int{MultiGet: 7, Insert: 3}[op.Kind])
		default:
			require.Nil(t, op.Keys)
			require.Regexp(t, `^user\d+$`, string(op.Key))
		}
		switch op.Kind {
		case Scan:
			require.Positive(t, op.ScanLength)
			longest = max(longest, op.ScanLength)
		case Increment:
			require.EqualValues(t, 5, op.Delta)
			require.Equal(t, CounterField, string(op.Fields[0]))
		case Insert:
			require.Len(t, op.Values, 3*10)
		default:
			require.Zero(t, op.ScanLength)
			require.Zero(t, op.Delta)
		}
		for _, value := range op.Values {
			require.Len(t, value, 100)
		}
	}
	require.Equal(t, 50, longest)
}

func TestFieldLengthsFollowTheirDistribution(t *testing.T) {
	for name, test := range map[string]struct {
		change           func(*Config)
		shortest, longst int
	}{
		"constant": {func(*Config) {}, 100, 100},
		"uniform":  {func(c *Config) { c.FieldLengthDistribution, c.MinFieldLength = Uniform, 90 }, 90, 100},
		"zipfian":  {func(c *Config) { c.FieldLengthDistribution, c.MinFieldLength = Zipfian, 95 }, 95, 100},
		"histogram": {func(c *Config) {
			c.FieldLengthDistribution, c.FieldLengthHistogram = Histogram, &LengthHistogram{BlockSize: 8, Buckets: []int64{1, 1, 1}}
		}, 8, 16},
		"sample": {func(c *Config) {
			c.FieldLengthDistribution, c.ValueSizes = Sample, &LengthSample{Lengths: []int64{7, 20, 300}, Counts: []int64{1, 2, 1}}
		}, 7, 300},
		"sample with a ratio": {func(c *Config) {
			c.FieldLengthDistribution, c.ValueSizes = Sample, &LengthSample{Lengths: []int64{7, 20, 300}, Counts: []int64{1, 2, 1}}
			c.ValueRatio = 0.5
		}, 7, 300},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := core()
			test.change(&cfg)
			seen := map[int]int{}
			for _, op := range take(t, shard(t, cfg, true, 0).Generator(0), 1000) {
				for _, value := range op.Values {
					seen[len(value)]++
				}
			}
			for length := range seen {
				require.True(t, length >= test.shortest && length <= test.longst, "length %d", length)
			}
			require.Positive(t, seen[test.shortest])
			require.Positive(t, seen[test.longst])
			if name == "zipfian" {
				require.Greater(t, seen[95], 2*seen[97], "short ones most often")
			}
		})
	}
}

func TestSeedRepeatsTheSequenceOfEachWorker(t *testing.T) {
	for _, distribution := range []Distribution{Uniform, Zipfian, Latest, Hotspot, Exponential, Sequential} {
		cfg := core()
		cfg.Proportions, cfg.RequestDistribution, cfg.OperationCount = everything(), distribution, 100_000
		cfg.FieldLengthDistribution = Uniform
		first := take(t, shard(t, cfg, false, 0).Generator(0), 500)
		require.Equal(t, first, take(t, shard(t, cfg, false, 0).Generator(0), 500), "%s", distribution)
		cfg.Seed++
		require.NotEqual(t, first, take(t, shard(t, cfg, false, 0).Generator(0), 500), "%s", distribution)
	}
	cfg := core()
	seen := map[string]bool{}
	for index, workers := range []int{2, 3} {
		for _, load := range []bool{false, true} {
			s := shard(t, cfg, load, index, 2, 3)
			for worker := range workers {
				text := fmt.Sprint(take(t, s.Generator(worker), 50))
				require.False(t, seen[text], "two workers alike")
				seen[text] = true
			}
		}
	}
}

// Other workers affect only the key numbers that a run inserts and which rows are new.
func TestSequencesOfWorkersDoNotDisturbEachOther(t *testing.T) {
	for _, distribution := range []Distribution{Zipfian, Latest} {
		cfg := core()
		cfg.Proportions, cfg.RequestDistribution, cfg.OperationCount = Proportions{Read: 1, Insert: 1, Update: 1}, distribution, 100_000
		alone := take(t, shard(t, cfg, false, 0, 2).Generator(0), 1000)
		s := shard(t, cfg, false, 0, 2)
		take(t, s.Generator(1), 500)
		crowded := take(t, s.Generator(0), 1000)
		for i := range alone {
			require.Equal(t, alone[i].Kind, crowded[i].Kind)
			require.Equal(t, alone[i].Fields, crowded[i].Fields)
			require.Equal(t, alone[i].Values, crowded[i].Values)
		}
	}
}

func TestNextAllocatesNothing(t *testing.T) {
	for _, distribution := range []Distribution{Uniform, Zipfian, Latest, Hotspot, Exponential, Sequential} {
		cfg := core()
		cfg.Proportions, cfg.RequestDistribution, cfg.OperationCount = everything(), distribution, 1000
		cfg.FieldLengthDistribution, cfg.ScanLengthDistribution, cfg.BatchSize = Zipfian, Zipfian, 5
		g := shard(t, cfg, false, 0).Generator(0)
		g.Limit(Endless)
		var op Op
		require.Zero(t, testing.AllocsPerRun(2000, func() {
			g.Next(&op)
			g.Done(&op, Outcome{Code: OK})
		}), "%s", distribution)
	}
	cfg := core()
	cfg.DataIntegrity, cfg.RecordCount = true, 10_000
	g := shard(t, cfg, true, 0).Generator(0)
	var op Op
	require.Zero(t, testing.AllocsPerRun(2000, func() {
		g.Next(&op)
		g.Done(&op, Outcome{Code: OK})
	}), "load")
}

func TestReadModifyWriteFallsIntoItsParts(t *testing.T) {
	cfg := core()
	cfg.Proportions = Proportions{ReadModifyWrite: 1}
	cfg.ReadAllFields = false
	g := shard(t, cfg, false, 0).Generator(0)
	var op, part Op
	require.True(t, g.Next(&op))
	op.ReadPart(&part)
	require.Equal(t, Op{Kind: Read, Key: op.Key, Fields: op.ReadFields}, part)
	op.UpdatePart(&part)
	require.Equal(t, Op{Kind: Update, Key: op.Key, Fields: op.Fields, Values: op.Values}, part)
}

func TestALoadReportsItsProgressAndContinuesFromThere(t *testing.T) {
	cfg := core()
	cfg.RecordCount, cfg.BatchSize, cfg.Ordered = 100, 10, true
	s := shard(t, cfg, true, 0, 2)
	g := s.Generator(1)
	var op Op
	require.EqualValues(t, 50, g.Loaded())
	for i := range 3 {
		require.True(t, g.Next(&op))
		require.EqualValues(t, 50+10*i, g.Loaded(), "in flight is not written")
		out := Outcome{Code: OK}
		if i == 1 {
			out.Code = Timeout
		}
		g.Done(&op, out)
	}
	require.EqualValues(t, 80, g.Loaded())

	again := s.Generator(1)
	again.GoOn(80)
	require.True(t, again.Next(&op))
	require.Equal(t, "user80", string(op.Keys[0]))
	again.GoOn(1000)
	require.False(t, again.Next(&op))
}

// TestALoadDoesNotStoreFailedRows lets every other row of a load fail, so that no two failures are neighbours.
func TestALoadDoesNotStoreFailedRows(t *testing.T) {
	cfg := core()
	cfg.RecordCount = 1 << 40
	g := shard(t, cfg, true, 0, 1).Generator(0)
	var op Op
	row := func() {
		g.Next(&op)
		g.Done(&op, Outcome{Code: Timeout})
		g.Next(&op)
		g.Done(&op, Outcome{Code: OK})
	}
	row()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 200_000 {
		row()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(1<<20))
	runtime.KeepAlive(g)
}
