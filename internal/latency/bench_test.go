//go:build unix

package latency

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// BenchmarkRecord measures the cost of recording one operation, with a cut every 100 ms as in the shortest windows. The
// relevant figure is cpu-ns/op, the CPU time of the whole process by operation, including cutter and garbage collector: wall
// time means nothing with more goroutines than processors. Reading the clock is excluded; a worker takes the time from the
// cutter, and its samples from a table.
func BenchmarkRecord(b *testing.B) {
	for _, loop := range []struct {
		name  string
		queue float64 // how long operations wait before they are sent
	}{{"closed", 0}, {"open", 1}} {
		for _, workers := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%s/workers=%d", loop.name, workers), func(b *testing.B) {
				benchmarkRecord(b, workers, loop.queue)
			})
		}
	}
}

func benchmarkRecord(b *testing.B, workers int, queue float64) {
	type times struct {
		series            int
		response, service int64
	}
	rng := rand.New(rand.NewPCG(1, 2))
	table := make([]times, 1<<10)
	for i := range table {
		service := int64(400_000 * math.Exp(rng.NormFloat64()*0.5))
		table[i] = times{rng.IntN(2), service + int64(queue*rng.ExpFloat64()*300_000), service}
	}
	r := NewRecorder([]Key{{Op: "READ", Outcome: "OK"}, {Op: "UPDATE", Outcome: "OK"}}, workers)
	if queue > 0 {
		r.KeepLateness([]bool{true, true})
	}
	every := int64(100 * time.Millisecond)
	r.SetBounds(Bounds{Every: every})

	var now atomic.Int64
	stop := make(chan struct{})
	var cutter, group sync.WaitGroup
	var cut uint64
	cutter.Go(func() {
		tick := time.NewTicker(time.Duration(every))
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				cut += Ops(r.Cut(now.Add(every)))
			}
		}
	})
	b.ReportAllocs()
	b.ResetTimer()
	before := processCPU(b)
	for w := range workers {
		n := b.N / workers
		if w < b.N%workers {
			n++
		}
		group.Go(func() {
			l := r.Local(w)
			for i := range n {
				t := &table[(i+w*61)%len(table)]
				l.Record(t.series, now.Load(), t.response, t.service)
			}
		})
	}
	group.Wait()
	cpu := processCPU(b) - before
	b.StopTimer()
	close(stop)
	cutter.Wait()
	b.ReportMetric(float64(cpu)/float64(b.N), "cpu-ns/op")
	if cut += Ops(r.Cut(math.MaxInt64)); cut != uint64(b.N) {
		b.Fatalf("recorded %d operations of %d", cut, b.N)
	}
}

// BenchmarkLogEncoder encodes the histograms of 3000 samples each of a log, and measures their size without base64.
func BenchmarkLogEncoder(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	histograms := make([]*Histogram, 100)
	for i := range histograms {
		histograms[i] = new(Histogram)
		for range 3000 {
			histograms[i].Record(int64(300_000 * float64(i%5+1) * math.Exp(0.5*rng.NormFloat64())))
		}
	}
	var encode LogEncoder
	i, size := 0, 0
	b.ReportAllocs()
	before := processCPU(b)
	for b.Loop() {
		logged, err := encode.encode(histograms[i%len(histograms)], time.Nanosecond)
		if err != nil {
			b.Fatal(err)
		}
		size += len(logged.Encoded)
		i++
	}
	b.ReportMetric(float64(processCPU(b)-before)/float64(i), "cpu-ns/op")
	b.ReportMetric(float64(size)/float64(i), "encoded-B")
}

// processCPU returns the CPU time of the process.
func processCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCut measures a cut of 1000 workers that have done 20 operations each since the last.
func BenchmarkCut(b *testing.B) {
	const workers = 1000
	r := NewRecorder(testKeys[:2], workers)
	rng := rand.New(rand.NewPCG(1, 2))
	end := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		for w := range workers {
			for i := range 20 {
				service := int64(400_000 * math.Exp(rng.NormFloat64()*0.5))
				r.Local(w).Record(i%2, end, service+1000, service)
			}
		}
		end++
		b.StartTimer()
		if n := Ops(r.Cut(end)); n != 20*workers {
			b.Fatalf("cut %d operations", n)
		}
	}
}
