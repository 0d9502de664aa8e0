package workload

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// history records the operations of one worker.
type history struct {
	ops      []string // kind, keys and a hash of fields and values
	inserted []int64
	wrong    []int64 // requested key numbers that do not exist
}

// dealtRun executes all operations of two shards of four workers in random order.
func dealtRun(t *testing.T, cfg Config, hashes maphash.Seed, fails func(worker, op int) bool) []history {
	t.Helper()
	const shards, workers = 2, 4
	out := make([]history, shards*workers)
	var all []*Shard
	for index := range shards {
		all = append(all, shard(t, cfg, false, index, workers, workers))
	}
	var wg sync.WaitGroup
	for i := range out {
		s, g := all[i/workers], all[i/workers].Generator(i%workers)
		wg.Go(func() { out[i].work(s, g, hashes, func(op int) bool { return fails != nil && fails(i, op) }) })
	}
	wg.Wait()
	return out
}

func (h *history) work(s *Shard, g *Generator, hashes maphash.Seed, fails func(op int) bool) {
	there := map[int64]bool{}
	chance := rand.New(rand.NewPCG(rand.Uint64(), 1))
	var op Op
	for n := 0; g.Next(&op); n++ {
		if chance.IntN(20) == 0 {
			runtime.Gosched()
		}
		if chance.IntN(50) == 0 {
			s.SetWatermark(s.cfg.RecordCount + chance.Int64N(1000)) // must not matter
		}
		out := Outcome{Code: OK}
		keys := slices.Concat(op.Keys, [][]byte{op.Key})
		if op.Key == nil {
			keys = op.Keys
		}
		if op.Kind == Insert && fails(n) {
			out.Code = Timeout
		}
		var hash maphash.Hash
		hash.SetSeed(hashes)
		for _, b := range slices.Concat(op.Fields, op.Values, op.ReadFields) {
			_, _ = hash.Write(b) // never fails
		}
		h.ops = append(h.ops, fmt.Sprintf("%v %d %x %s", op.Kind, op.ScanLength, hash.Sum64(), keys))
		for _, key := range keys {
			number := number(key)
			switch {
			case op.Kind != Insert && number >= s.cfg.RecordCount && !there[number]:
				h.wrong = append(h.wrong, number)
			case op.Kind == Insert:
				h.inserted = append(h.inserted, number)
				there[number] = out.Code == OK
			}
		}
		g.Done(&op, out)
	}
}

// If inserts are dealt, each worker's operations are independent of the order of workers and of watermarks. Each number is
// inserted by one worker, and only existing rows are requested.
func TestASeedRepeatsTheOperationsOfEveryWorker(t *testing.T) {
	const ops = 8_000
	everySeventh := func(worker, op int) bool { return (worker+op)%7 == 0 }
	for name, test := range map[string]struct {
		change func(*Config)
		fails  func(worker, op int) bool
	}{
		"latest, 5 % inserts":   {change: func(c *Config) { c.RequestDistribution, c.Proportions = Latest, Proportions{Read: 0.95, Insert: 0.05} }},
		"latest, 30 % inserts":  {change: func(c *Config) { c.RequestDistribution, c.Proportions = Latest, Proportions{Read: 0.7, Insert: 0.3} }},
		"zipfian, 5 % inserts":  {change: func(c *Config) { c.Proportions = Proportions{Read: 0.95, Insert: 0.05} }},
		"zipfian, 30 % inserts": {change: func(c *Config) { c.Proportions = Proportions{Read: 0.5, Update: 0.2, Insert: 0.3} }},
		"exponential": {change: func(c *Config) {
			c.RequestDistribution, c.Proportions = Exponential, Proportions{Read: 0.9, Insert: 0.1}
		}},
		"all kinds":             {change: func(c *Config) { c.RequestDistribution, c.Proportions = Latest, everything() }},
		"batches":               {change: func(c *Config) { c.Proportions, c.BatchSize = Proportions{Read: 0.9, Insert: 0.1}, 7 }},
		"from insertbase":       {change: func(c *Config) { c.Proportions, c.InsertBase = Proportions{Read: 0.9, Insert: 0.1}, 5000 }},
		"latest with failures":  {func(c *Config) { c.RequestDistribution, c.Proportions = Latest, Proportions{Read: 0.8, Insert: 0.2} }, everySeventh},
		"zipfian with failures": {func(c *Config) { c.Proportions = Proportions{Read: 0.8, Insert: 0.2} }, everySeventh},
		"every insert fails":    {func(c *Config) { c.Proportions = Proportions{Read: 0.8, Insert: 0.2} }, func(int, int) bool { return true }},
		"an odd number of it":   {change: func(c *Config) { c.Proportions, c.OperationCount = Proportions{Read: 0.9, Insert: 0.1}, ops+5 }},
		"latest, one row loaded": {change: func(c *Config) {
			c.RequestDistribution, c.Proportions, c.RecordCount = Latest, Proportions{Read: 0.5, Insert: 0.5}, 1
		}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := core()
			cfg.Ordered, cfg.FieldCount, cfg.FieldLength, cfg.MultiGetSize = true, 2, 10, 3
			cfg.OperationCount, cfg.DealInserts = ops, true
			test.change(&cfg)
			hashes := maphash.MakeSeed()
			first, second := dealtRun(t, cfg, hashes, test.fails), dealtRun(t, cfg, hashes, test.fails)
			times := map[int64]int{}
			var total int64
			for worker := range first {
				require.Equal(t, first[worker].ops, second[worker].ops, "worker %d", worker)
				require.Empty(t, first[worker].wrong, "rows asked for that are not there")
				total += int64(len(first[worker].ops))
				base := max(cfg.InsertBase, cfg.RecordCount)
				for i, n := range first[worker].inserted {
					times[n]++
					require.Equal(t, base+int64(worker%4*2+worker/4)+int64(i)*8, n, "insert %d of worker %d", i, worker)
				}
			}
			require.Equal(t, cfg.OperationCount, total)
			require.NotEmpty(t, times)
			for n, times := range times {
				require.Equal(t, 1, times, "number %d", n)
			}
			cfg.Seed++
			require.NotEqual(t, first[0].ops, dealtRun(t, cfg, hashes, test.fails)[0].ops)
		})
	}
}

// A worker reads its own rows as soon as they are answered; otherwise latest would request old rows.
func TestAWorkerReadsItsOwnNewRows(t *testing.T) {
	cfg := core()
	cfg.Proportions, cfg.Ordered, cfg.RequestDistribution, cfg.DealInserts = Proportions{Read: 1, Insert: 1}, true, Latest, true
	g := shard(t, cfg, false, 1, 2, 3).Generator(2)
	newest, hits, reads := int64(-1), 0, 0
	for _, op := range take(t, g, 20_000) {
		n := number(op.Key)
		if op.Kind == Insert {
			newest = n
			continue
		}
		reads++
		if n == newest {
			hits++
		}
	}
	require.InDelta(t, 1/8.9, float64(hits)/float64(reads), 0.02, "as often as with one worker")
}

// The progress of a shard includes the inserts of all its workers.
func TestProgressOfDealtInserts(t *testing.T) {
	cfg := core()
	cfg.Proportions, cfg.DealInserts = Proportions{Insert: 1}, true
	s := shard(t, cfg, false, 0, 2, 2) // its workers have 1000, 1004, … and 1002, 1006, …
	a, b := s.Generator(0), s.Generator(1)
	require.EqualValues(t, 1000, s.Watermark())
	take(t, a, 3)
	require.EqualValues(t, 1002, s.Watermark())
	take(t, b, 1)
	require.EqualValues(t, 1006, s.Watermark())
	require.EqualValues(t, 4, claimed(s))
	for _, in := range s.inserts {
		require.Len(t, in.answers, 1, "no memory for answers that cannot be out of order")
	}
}
