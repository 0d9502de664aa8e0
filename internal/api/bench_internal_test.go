package api

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/benchd/benchd/internal/remote"
)

// processorTime is that of this process.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkReaders measures what an event costs for each of its readers, over TCP, with the reading itself: their clients are in the same
// process. A reader gets an event a second, so a cost of 50 µs is 0.005 % of a core.
func BenchmarkReaders(b *testing.B) {
	for _, agents := range []int{2, 1000} {
		for _, readers := range []int{1, 50} {
			b.Run(fmt.Sprintf("agents=%d/readers=%d", agents, readers), func(b *testing.B) { benchmarkReaders(b, agents, readers) })
		}
	}
}

func benchmarkReaders(b *testing.B, agents, readers int) {
	h, running := newHub(), b.Context()
	s := &Server{running: running}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = s.pump(r.Context(), h, 1, &stream{w: w, control: http.NewResponseController(w)})
	}))
	defer server.Close()
	p := &remote.Progress{Suite: "s", Run: "s.1", Operations: make([]remote.Operation, 6), Agents: make([]remote.AgentProgress, agents)}
	require.NoError(b, h.publish(p))
	arrived := make(chan struct{}, readers)
	ctx, stop := context.WithCancel(running)
	var tasks sync.WaitGroup
	for range readers {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, http.NoBody)
		require.NoError(b, err)
		tasks.Go(func() {
			resp, err := server.Client().Do(req)
			if err != nil {
				return
			}
			defer resp.Body.Close()
			for in := bufio.NewReaderSize(resp.Body, 1<<16); ; {
				line, err := in.ReadSlice('\n')
				if err != nil && err != bufio.ErrBufferFull { //nolint:errorlint // as bufio returns it
					return
				}
				if len(line) == 1 { // the end of an event
					arrived <- struct{}{}
				}
			}
		})
	}
	deliver := func() {
		require.NoError(b, h.publish(p))
		for range readers {
			<-arrived
		}
	}
	deliver()
	before := processorTime(b)
	b.ReportAllocs()
	for b.Loop() {
		deliver()
	}
	b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N*readers), "cpu-µs/reader")
	stop()
	tasks.Wait()
}
