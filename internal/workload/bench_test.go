package workload

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a worker pays for its next operation, values really built: 10^6 rows of 10 × 100 bytes.
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
	run("e", false, func(c *Config) {
		c.Proportions, c.MaxScanLength = Proportions{Scan: 0.95, Insert: 0.05}, 100
	})
	run("f", false, func(c *Config) { c.Proportions = Proportions{Read: 0.5, ReadModifyWrite: 0.5} })
	run("a-dataintegrity", false, func(c *Config) {
		c.Proportions, c.DataIntegrity = Proportions{Read: 0.5, Update: 0.5}, true
	})
}
