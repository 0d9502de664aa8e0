package store_test

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// benchRows is enough rows of 1 KB to exceed one file and the memory table.
const benchRows = 50_000

func benchKey(i int) []byte {
	return fmt.Appendf(nil, "user%019d", uint64(i)*11400714819323198485%1e19)
}

// record is a row of YCSB: ten columns of 100 bytes.
func record(i int) *store.Mutation {
	m := &store.Mutation{Row: benchKey(i)}
	value := make([]byte, 100)
	for j := range value {
		value[j] = byte(rand.IntN(256))
	}
	for f := range 10 {
		m.Cells = append(m.Cells, protocol.Cell{Family: []byte("f"), Qualifier: fmt.Appendf(nil, "field%d", f), Timestamp: protocol.LatestTimestamp, Value: value})
	}
	return m
}

func loaded(b *testing.B, opts store.Options) *store.Region {
	b.Helper()
	s, err := store.Open(opts)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	regions, err := s.CreateTable(store.Table{Name: users(), Families: []store.Family{{Name: "f"}}}, nil)
	require.NoError(b, err)
	for i := 0; i < benchRows; i += 100 {
		batch := make([]*store.Mutation, 100)
		for j := range batch {
			batch[j] = record(i + j)
			batch[j].Durability = store.Unsynced
		}
		for _, err := range regions[0].Batch(batch, nil) {
			require.NoError(b, err)
		}
	}
	return regions[0]
}

// cpu returns the processor time of the process per operation, because wall time is unreliable on a busy machine. It
// includes the store's background work.
func cpu(b *testing.B) (report func()) {
	b.Helper()
	used := func() int64 {
		var u syscall.Rusage
		require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return u.Utime.Nano() + u.Stime.Nano()
	}
	before := used()
	return func() { b.ReportMetric(float64(used()-before)/float64(b.N), "cpu-ns/op") }
}

// BenchmarkGet reads random rows of 1 KB with ten columns.
func BenchmarkGet(b *testing.B) {
	for _, c := range []struct {
		name    string
		compact bool
		rows    int
	}{{"as loaded", false, benchRows}, {"compacted", true, benchRows}, {"hot", true, 1000}, {"absent", true, -1}} {
		b.Run(c.name, func(b *testing.B) {
			r := loaded(b, store.Options{})
			if c.compact {
				require.NoError(b, r.Flush())
				require.NoError(b, r.Compact(true))
			}
			var found store.Result
			get := store.Get{}
			b.ReportAllocs()
			report := cpu(b)
			defer report()
			for b.Loop() {
				if c.rows < 0 {
					get.Row = benchKey(benchRows + rand.IntN(benchRows))
				} else {
					get.Row = benchKey(rand.IntN(c.rows))
				}
				if err := r.Get(&get, &found); err != nil || (len(found.Cells) == 10) != (c.rows > 0) {
					b.Fatal(err, len(found.Cells))
				}
			}
		})
	}
}

// BenchmarkGetOfOneCell reads rows whose 1 KB is one cell, as if a row's cells were packed: it shows the most that
// packing could save.
func BenchmarkGetOfOneCell(b *testing.B) {
	s, err := store.Open(store.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	regions, err := s.CreateTable(store.Table{Name: users(), Families: []store.Family{{Name: "f"}}}, nil)
	require.NoError(b, err)
	value := make([]byte, 1000)
	for i := range 1000 {
		require.NoError(b, regions[0].Mutate(&store.Mutation{Row: benchKey(i), Cells: []protocol.Cell{
			{Family: []byte("f"), Qualifier: []byte("field0"), Timestamp: protocol.LatestTimestamp, Value: value},
		}}, nil))
	}
	require.NoError(b, regions[0].Flush())
	var found store.Result
	b.ReportAllocs()
	report := cpu(b)
	defer report()
	for b.Loop() {
		if err := regions[0].Get(&store.Get{Row: benchKey(rand.IntN(1000))}, &found); err != nil || len(found.Cells) != 1 {
			b.Fatal(err, len(found.Cells))
		}
	}
}

// BenchmarkPut writes rows of 1 KB to memory.
func BenchmarkPut(b *testing.B) {
	r := loaded(b, store.Options{MaxBytes: 8 << 30})
	m := record(0)
	b.ReportAllocs()
	report := cpu(b)
	defer report()
	for i := 0; b.Loop(); i++ {
		m.Row = benchKey(i % benchRows)
		if err := r.Mutate(m, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkScan reads 100 rows of 1 KB from a random row on.
func BenchmarkScan(b *testing.B) {
	for _, reversed := range []bool{false, true} {
		b.Run(fmt.Sprint("reversed=", reversed), func(b *testing.B) {
			r := loaded(b, store.Options{})
			var page store.Page
			b.ReportAllocs()
			report := cpu(b)
			defer report()
			for b.Loop() {
				sc, err := r.Scan(store.Scan{Start: benchKey(rand.IntN(benchRows)), Reversed: reversed})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := sc.Next(store.Limits{Rows: 100}, &page); err != nil {
					b.Fatal(err)
				}
				if err := sc.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
