//go:build hbase

package hbase_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/workload"
)

var soak = flag.Duration("soak", 20*time.Second, "duration of TestAnAgentStaysAsSmallAsItIs; below 2m it checks only goroutines")

// 100 workers on 4 connections: the memory of an agent does not grow after its first minute.
func TestAnAgentStaysAsSmallAsItIs(t *testing.T) {
	_, properties := realTable(t, "benchd_soak", "k3", "k6")
	target, first := realOpen(t, properties, "hbase.connections", "4")
	require.NoError(t, first.Close(t.Context()))
	stop := make(chan struct{})
	var workers sync.WaitGroup
	for w := range 100 {
		s, err := target.Open(t.Context(), w)
		require.NoError(t, err)
		workers.Go(func() {
			value := []byte(strings.Repeat("v", 1000))
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				key := fmt.Appendf(nil, "k%d", (w*31+i)%10_000)
				for _, op := range []workload.Op{
					{Kind: workload.Insert, Key: key, Fields: b("f"), Values: [][]byte{value}},
					{Kind: workload.Read, Key: key},
					{Kind: workload.Scan, Key: key, ScanLength: 10},
					{Kind: workload.MultiGet, Keys: [][]byte{key, key}},
					{Kind: workload.Increment, Key: key, Fields: b("n"), Delta: 1},
				} {
					if out := s.Do(t.Context(), &op); out.Err != nil {
						t.Errorf("%s: %v", op.Kind, out.Err)
						return
					}
				}
			}
		})
	}
	self, err := process.NewProcess(int32(os.Getpid()))
	require.NoError(t, err)
	look := func() (goroutines int, rss uint64) {
		runtime.GC()
		memory, err := self.MemoryInfo()
		require.NoError(t, err)
		return runtime.NumGoroutine(), memory.RSS
	}
	warm := min(*soak/4, time.Minute)
	<-time.After(warm)
	goroutines, _ := look()
	most := 0
	var sizes []uint64
	for end := time.Now().Add(*soak - warm); time.Now().Before(end); {
		<-time.After(min(2*time.Second, time.Until(end)))
		n, size := look()
		most, sizes = max(most, n), append(sizes, size)
	}
	close(stop)
	workers.Wait()
	third := len(sizes) / 3
	early, late := median(sizes[:third]), median(sizes[len(sizes)-third:])
	t.Logf("after %v: %d goroutines, at most %d later; %d KiB in the first third of the rest, %d KiB in the last", warm, goroutines, most, early>>10, late>>10)
	require.LessOrEqual(t, float64(most), 1.05*float64(goroutines))
	if *soak >= 2*time.Minute {
		require.LessOrEqual(t, float64(late), 1.05*float64(early))
	}
}

func median(sizes []uint64) uint64 {
	sizes = slices.Clone(sizes)
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}
