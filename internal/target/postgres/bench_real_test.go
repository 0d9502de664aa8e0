//go:build databases

package postgres_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/workload"
)

const benchRows = 1000

// filled opens a session on a table of YCSB's rows.
func filled(b *testing.B, form string, more ...string) (properties map[string]string) {
	b.Helper()
	p := propertiesOf(form, more...)
	_, s := open(b, p)
	op := &workload.Op{Kind: workload.Insert}
	for f := range 10 {
		op.Fields = append(op.Fields, []byte("field"+strconv.Itoa(f)))
	}
	for i := range benchRows {
		op.Keys = append(op.Keys, key(i))
		for range 10 {
			op.Values = append(op.Values, []byte(strings.Repeat("x", 100)))
		}
	}
	do(b, s, op)
	return p
}

func propertiesOf(form string, more ...string) map[string]string {
	return properties(append([]string{"postgres.form", form, "table", "bench_" + form, "phase", "load", "postgres.table.create", "recreate"}, more...)...)
}

func key(i int) []byte { return []byte("user" + strconv.Itoa(i%benchRows)) }

// BenchmarkOperations measures the allocations and the processor time of single operations.
func BenchmarkOperations(b *testing.B) {
	for _, form := range forms() {
		p := filled(b, form)
		p["postgres.table.create"] = "missing"
		_, s := open(b, p)
		value := [][]byte{[]byte(strings.Repeat("y", 100))}
		keys := make([][]byte, benchRows)
		for i := range keys {
			keys[i] = key(i)
		}
		for name, op := range map[string]workload.Op{
			"read":      {Kind: workload.Read},
			"read one":  {Kind: workload.Read, Fields: [][]byte{[]byte("field3")}},
			"update":    {Kind: workload.Update, Fields: [][]byte{[]byte("field3")}, Values: value},
			"scan 50":   {Kind: workload.Scan, ScanLength: 50},
			"multi-get": {Kind: workload.MultiGet, Keys: keys[:10]},
		} {
			b.Run(form+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				before := used(b)
				for i := 0; b.Loop(); i++ {
					if len(op.Keys) == 0 {
						op.Key = keys[i%benchRows]
					}
					if out := s.Do(context.Background(), &op); !out.Code.Good() {
						b.Fatal(out.Err)
					}
				}
				b.ReportMetric(float64(used(b)-before)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

// BenchmarkReaders compares reads by 16 workers with those by pgx alone: by its prepared statements, as an application does.
func BenchmarkReaders(b *testing.B) {
	p := filled(b, "columns")
	p["postgres.table.create"] = "missing"
	const workers = 16
	run := func(b *testing.B, read func(worker int) func(key []byte)) {
		var next atomic.Int64
		var all sync.WaitGroup
		reads := make([]func([]byte), workers)
		for w := range workers {
			reads[w] = read(w)
		}
		b.ReportAllocs()
		b.ResetTimer()
		before := used(b)
		for w := range workers {
			all.Go(func() {
				for {
					i := next.Add(1)
					if i > int64(b.N) {
						return
					}
					reads[w](keysOf[i%benchRows])
				}
			})
		}
		all.Wait()
		b.ReportMetric(float64(used(b)-before)/float64(b.N), "cpu-ns/op")
	}
	target, _ := open(b, p)
	b.Run("benchd", func(b *testing.B) {
		run(b, func(w int) func([]byte) {
			s, err := target.Open(b.Context(), w)
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, s.Close(context.Background())) })
			op := &workload.Op{Kind: workload.Read}
			return func(key []byte) {
				op.Key = key
				if out := s.Do(b.Context(), op); !out.Code.Good() {
					panic(fmt.Sprint(out.Err))
				}
			}
		})
	})
	b.Run("pgx", func(b *testing.B) {
		run(b, func(int) func([]byte) {
			ctx := context.Background()
			c, err := pgconn.Connect(ctx, "host=127.0.0.1 user=postgres dbname=postgres sslmode=disable port="+strings.TrimPrefix(server.Address(), "127.0.0.1:"))
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, c.Close(ctx)) })
			statement, err := c.Prepare(ctx, "read", "SELECT * FROM bench_columns WHERE ycsb_key = $1", nil)
			require.NoError(b, err)
			params := make([][]byte, 1)
			return func(key []byte) {
				params[0] = key
				result := c.ExecStatement(b.Context(), statement, params, nil, nil)
				rows := 0
				for result.NextRow() {
					rows++
				}
				if _, err := result.Close(); err != nil || rows != 1 {
					panic(fmt.Sprint(rows, err))
				}
			}
		})
	})
}

// keysOf are the keys of the rows.
var keysOf = func() (keys [benchRows][]byte) {
	for i := range keys {
		keys[i] = key(i)
	}
	return keys
}()

// used returns the processor time of this process.
func used(b *testing.B) time.Duration {
	b.Helper()
	var r syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
