package workload

import (
	"cmp"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// The cost of a worker's next operation, including its values: 10^6 rows of 10 × 100 bytes.
func BenchmarkNext(b *testing.B) {
	run := func(name string, load bool, change func(*Config)) {
		b.Run(name, func(b *testing.B) {
			cfg := core()
			cfg.RecordCount = 1_000_000
			change(&cfg)
			s, err := NewShard(cfg, load, 0, 1, []int{1})
			require.NoError(b, err)
			g := s.Generator(0)
			var op Op
			out := Outcome{Code: OK}
			b.ReportAllocs()
			for b.Loop() {
				g.Next(&op)
				g.Done(&op, out)
			}
		})
	}
	run("load", true, func(c *Config) { c.InsertCount = 1 << 50 })
	run("a", false, func(c *Config) { c.Proportions = Proportions{Read: 0.5, Update: 0.5} })
	run("b", false, func(c *Config) { c.Proportions = Proportions{Read: 0.95, Update: 0.05} })
	run("c", false, func(c *Config) { c.Proportions = Proportions{Read: 1} })
	run("d", false, func(c *Config) {
		c.Proportions, c.RequestDistribution = Proportions{Read: 0.95, Insert: 0.05}, Latest
	})
	run("d-dealt", false, func(c *Config) {
		c.Proportions, c.RequestDistribution, c.DealInserts = Proportions{Read: 0.95, Insert: 0.05}, Latest, true
	})
	run("e", false, func(c *Config) {
		c.Proportions, c.MaxScanLength = Proportions{Scan: 0.95, Insert: 0.05}, 100
	})
	run("f", false, func(c *Config) { c.Proportions = Proportions{Read: 0.5, ReadModifyWrite: 0.5} })
	run("a-dataintegrity", false, func(c *Config) {
		c.Proportions, c.DataIntegrity = Proportions{Read: 0.5, Update: 0.5}, true
	})
}

// The cost of keys of a template compared with YCSB's, for the operations of the null target: reads, and YCSB's workload A.
func BenchmarkNextOfTemplates(b *testing.B) {
	for mix, p := range map[string]Proportions{"read": {Read: 1}, "a": {Read: 0.5, Update: 0.5}} {
		for _, template := range []string{"", usersTemplate, "user{seq:hash}", "{device:cycle(1000)}-{ts:per(1000)}"} {
			b.Run(mix+"/"+cmp.Or(template, "ycsb"), func(b *testing.B) {
				cfg := core()
				cfg.RecordCount, cfg.KeyTemplate, cfg.Proportions = 1_000_000, template, p
				s, err := NewShard(cfg, false, 0, 1, []int{1})
				require.NoError(b, err)
				g := s.Generator(0)
				var op Op
				out := Outcome{Code: OK}
				b.ReportAllocs()
				for b.Loop() {
					g.Next(&op)
					g.Done(&op, out)
				}
			})
		}
	}
}

// Concurrent workers of one shard: their shared state must not make an operation more expensive.
func BenchmarkNextOfEightWorkers(b *testing.B) {
	for name, change := range map[string]func(*Config){
		"a":          func(c *Config) { c.Proportions = Proportions{Read: 0.5, Update: 0.5} },
		"sequential": func(c *Config) { c.Proportions, c.RequestDistribution = Proportions{Read: 1}, Sequential },
		"d":          func(c *Config) { c.Proportions, c.RequestDistribution = Proportions{Read: 0.95, Insert: 0.05}, Latest },
		"d dealt": func(c *Config) {
			c.Proportions, c.RequestDistribution, c.DealInserts = Proportions{Read: 0.95, Insert: 0.05}, Latest, true
		},
		"insert only": func(c *Config) { c.Proportions = Proportions{Insert: 1} },
	} {
		b.Run(name, func(b *testing.B) {
			cfg := core()
			cfg.RecordCount = 1_000_000
			change(&cfg)
			const workers = 8
			s, err := NewShard(cfg, false, 0, 1, []int{workers})
			require.NoError(b, err)
			var worker atomic.Int64
			b.SetParallelism(workers / runtime.GOMAXPROCS(0))
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				g := s.Generator(int(worker.Add(1)) - 1)
				var op Op
				out := Outcome{Code: OK}
				for pb.Next() {
					g.Next(&op)
					g.Done(&op, out)
				}
			})
		})
	}
}

// BenchmarkTimeSeries is one operation of YCSB's tsworkloada.
func BenchmarkTimeSeries(b *testing.B) {
	c := seriesConfig()
	c.FieldCount, c.FieldLength, c.RecordCount = 64, 8, 1474560
	c.Series.Tags, c.Series.TagKeyLength, c.Series.TagValueLength, c.Series.Span = []int{1, 2, 4, 2}, 8, 8, 3600
	c.Proportions = Proportions{Read: 0.1, Insert: 0.9}
	s, err := NewShard(c, false, 0, 1, []int{1})
	if err != nil {
		b.Fatal(err)
	}
	g := s.Generator(0)
	var op Op
	b.ReportAllocs()
	for b.Loop() {
		g.Next(&op)
		g.Done(&op, Outcome{})
	}
}
