package watch

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// BenchmarkStatus measures what a status of the cluster with 10 000 regions costs an agent once it has arrived:
//
//	go test ./internal/target/hbase/watch -run '^$' -bench Status -benchtime 100x
func BenchmarkStatus(b *testing.B) {
	const regions, servers = 10_000, 3
	status := admin.Cluster{Master: "m,1,1"}
	for s := range servers {
		one := admin.Server{Name: fmt.Sprintf("s%d,1,1", s)}
		for i := s; i < regions; i += servers {
			one.RegionLoads = append(one.RegionLoads, admin.Load{Region: fmt.Sprintf("usertable,k%05d,1.%032x.", i, i), Files: 1})
		}
		one.Regions = len(one.RegionLoads)
		status.Servers = append(status.Servers, one)
	}
	h := NewHBase(func(context.Context) (Cluster, error) { return nil, context.Canceled }, "usertable", nil, slog.New(slog.DiscardHandler))
	b.Cleanup(h.Close)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		for s := range status.Servers {
			status.Servers[s].Reported = time.UnixMilli(int64(n) * 3000)
			for i := range status.Servers[s].RegionLoads {
				status.Servers[s].RegionLoads[i].Reads += 100
			}
		}
		h.status = &statusAnswer{cluster: status, at: clock.Mono()}
		var out observe.Look
		h.takeStatus(&out)
		if len(out.Warnings) > 0 {
			b.Fatal(out.Warnings)
		}
	}
}
