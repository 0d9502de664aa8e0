package workload

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/keyspace"
)

// table is a target that records which rows were inserted.
type table struct {
	rows  []atomic.Int32 // by key number
	wrong atomic.Int64   // reads of missing rows
	twice atomic.Int64   // inserts of existing rows
}

// Two agents with two workers each, 5 % inserts of which some fail, and occasional watermarks: each row that is read must
// have been inserted, and each row is inserted once.
func TestOnlyInsertedRowsAreRead(t *testing.T) {
	for _, distribution := range []Distribution{Latest, Zipfian, Exponential, Uniform} {
		t.Run(string(distribution), func(t *testing.T) {
			const shards, workers = 2, 2
			cfg := core()
			cfg.Proportions, cfg.RequestDistribution = Proportions{Read: 0.95, Insert: 0.05}, distribution
			cfg.OperationCount, cfg.Ordered, cfg.FieldLength, cfg.FieldCount = draws, true, 1, 1
			tab := &table{rows: make([]atomic.Int32, cfg.RecordCount+draws)}
			for i := range cfg.RecordCount {
				tab.rows[i].Store(1)
			}
			var all []*Shard
			for index := range shards {
				all = append(all, shard(t, cfg, false, index, workers, workers))
			}
			var news atomic.Int64 // reads of rows that the run has inserted
			var wg sync.WaitGroup
			for _, s := range all {
				for worker := range workers {
					g := s.Generator(worker)
					wg.Go(func() { tab.serve(g, all, &news) })
				}
			}
			wg.Wait()
			require.Zero(t, tab.wrong.Load(), "reads of rows that were not there")
			require.Zero(t, tab.twice.Load(), "rows inserted twice")
			inserted := claimed(all[0]) + claimed(all[1])
			require.InDelta(t, 0.05*draws, inserted, 5*math.Sqrt(0.05*draws))
			if distribution == Uniform {
				require.Zero(t, news.Load(), "uniform requests stay in the range that was loaded")
			} else {
				require.Greater(t, news.Load(), int64(draws/100))
			}
		})
	}
}

// serve executes all operations of a worker.
func (tab *table) serve(g *Generator, all []*Shard, news *atomic.Int64) {
	var op Op
	for i := 0; g.Next(&op); i++ {
		n := number(op.Key)
		out := Outcome{Code: OK}
		switch {
		case op.Kind == Read:
			if tab.rows[n].Load() == 0 {
				tab.wrong.Add(1)
			}
			if n >= g.s.cfg.RecordCount {
				news.Add(1)
			}
		case i%50 == 0: // an insert that fails
			out.Code = Timeout
		case tab.rows[n].Add(1) != 1:
			tab.twice.Add(1)
		}
		g.Done(&op, out)
		if i%1000 == 0 {
			smallest := min(all[0].Watermark(), all[1].Watermark())
			all[0].SetWatermark(smallest)
			all[1].SetWatermark(smallest)
		}
	}
}

// Three agents with different seeds have the same hot rows: those of YCSB, in YCSB's order.
func TestShardsTogetherHaveYCSBsHotRows(t *testing.T) {
	cfg := core()
	cfg.Proportions, cfg.RecordCount, cfg.Ordered = Proportions{Read: 1}, 1_000_000, true
	counts := map[int64]int{}
	var op Op
	const total = 1_000_000
	for index := range 3 {
		g := shard(t, cfg, false, index, 1, 1, 1).Generator(0)
		g.Limit(total / 3)
		for g.Next(&op) {
			counts[number(op.Key)]++
		}
	}
	order := make([]int64, 0, len(counts))
	for n := range counts {
		order = append(order, n)
	}
	slices.SortFunc(order, func(a, b int64) int { return counts[b] - counts[a] })
	require.Equal(t, []int64{801320, 216074, 971811, 386565, 464295, 49540, 293804}, order[:7])
	require.InDelta(t, total/26.46902820178302, counts[801320], 5*math.Sqrt(total/26.5), "the share of the hottest")
}

// The range of the scrambled zipfian allows for the inserts of all agents, so that they agree about the hot rows.
func TestZipfianAllowsForTheInsertsOfAllShards(t *testing.T) {
	cfg := core()
	cfg.Proportions, cfg.OperationCount = Proportions{Read: 0.7, Insert: 0.3}, 10_000
	cfg.InsertStart, cfg.InsertCount = 100, 900
	for index := range 3 {
		s := shard(t, cfg, false, index, 1, 1, 1)
		d, ok := s.requests.fixed.(*keyspace.Scrambled)
		require.True(t, ok)
		for rank := range int64(100) {
			// insertcount + expectednew + 1 places, expectednew being operationcount · insertproportion · 2.
			require.Equal(t, 100+keyspace.Hash(rank)%(900+6000+1), d.Place(rank))
		}
	}
}

func TestRequestsStayInTheirRange(t *testing.T) {
	for _, distribution := range []Distribution{Uniform, Zipfian, Hotspot, Sequential} {
		cfg := core()
		cfg.Proportions, cfg.Ordered, cfg.RequestDistribution = Proportions{Read: 1}, true, distribution
		cfg.RecordCount, cfg.InsertStart, cfg.InsertCount = 1000, 500, 200
		seen := map[int64]bool{}
		for _, op := range take(t, shard(t, cfg, false, 0).Generator(0), 10_000) {
			n := number(op.Key)
			// The zipfian has one place more than there are rows, as in YCSB; it exists, because it is below recordcount.
			require.True(t, n >= 500 && (n < 700 || n == 700 && distribution == Zipfian), "%s asked for row %d", distribution, n)
			seen[n] = true
		}
		require.GreaterOrEqual(t, len(seen), 200, "%s reaches every row", distribution)
	}
}

func TestSequentialReadsEachRowOnceOverAllWorkers(t *testing.T) {
	cfg := core()
	cfg.Proportions, cfg.Ordered, cfg.RequestDistribution = Proportions{Read: 1}, true, Sequential
	cfg.OperationCount = cfg.RecordCount
	seen := map[int64]int{}
	for index, workers := range []int{2, 3} {
		s := shard(t, cfg, false, index, 2, 3)
		for worker := range workers {
			g := s.Generator(worker)
			var op Op
			for g.Next(&op) {
				seen[number(op.Key)]++
			}
		}
	}
	require.Len(t, seen, 1000)
}

func TestLatestPrefersTheNewest(t *testing.T) {
	cfg := core()
	cfg.Proportions, cfg.Ordered, cfg.RequestDistribution = Proportions{Read: 1, Insert: 1}, true, Latest
	newest, hits, reads := cfg.RecordCount-1, 0, 0
	for _, op := range take(t, shard(t, cfg, false, 0).Generator(0), 20_000) {
		n := number(op.Key)
		if op.Kind == Insert {
			require.Equal(t, newest+1, n)
			newest = n
			continue
		}
		require.Positive(t, n, "row 0 is never asked for, as in YCSB")
		reads++
		if n == newest {
			hits++
		}
	}
	require.InDelta(t, 1/8.9, float64(hits)/float64(reads), 0.02, "zeta of some thousand rows is 8 to 10")
}

// A range of mostly future rows must not stall a worker: YCSB would draw millions of times.
func TestRequestsFindARowInANearlyEmptyRange(t *testing.T) {
	cfg := core()
	cfg.RecordCount, cfg.OperationCount, cfg.Ordered = 1, 1<<40, true
	cfg.Proportions = Proportions{Read: 0.01, Insert: 0.99}
	g := shard(t, cfg, false, 0).Generator(0)
	for n := g.chooser.next(); n != 0; {
		require.Failf(t, "not there", "row %d", n)
	}
}

func TestRunsGoOnInsertingFromInsertbase(t *testing.T) {
	cfg := core()
	cfg.Proportions, cfg.Ordered, cfg.InsertBase = Proportions{Insert: 1}, true, 5000
	ops := take(t, shard(t, cfg, false, 1, 1, 1).Generator(0), 2)
	require.Equal(t, "user5001", string(ops[0].Key))
	require.Equal(t, "user5003", string(ops[1].Key))
}
