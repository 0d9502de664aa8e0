package workload

import "testing"

func standard() Config {
	return Config{RecordCount: 1e6, FieldCount: 10, FieldLength: 100, FieldNamePrefix: "field", KeyPrefix: "user",
		ZeroPadding: 1, ReadAllFields: true, RequestDistribution: Zipfian, MinScanLength: 1, MaxScanLength: 1000,
		Proportions: Proportions{Read: .5, Update: .5}}
}

func bench(b *testing.B, cfg Config, load bool) {
	if load {
		cfg.InsertCount = 1 << 40
	}
	s, err := NewShard(cfg, load, 0, 1, []int{1})
	if err != nil {
		b.Fatal(err)
	}
	g := s.Generator(0)
	var op Op
	b.ReportAllocs()
	for b.Loop() {
		g.Next(&op)
	}
}
func BenchmarkA(b *testing.B) { bench(b, standard(), false) }
func BenchmarkC(b *testing.B) {
	c := standard()
	c.Proportions = Proportions{Read: 1}
	bench(b, c, false)
}
func BenchmarkLoad(b *testing.B) { bench(b, standard(), true) }
