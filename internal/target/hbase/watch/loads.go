package watch

import (
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// serverLoads is what a region server last reported to the master about its regions, in place of JMX that cannot be read.
type serverLoads struct {
	reported      time.Time            // by the server's own clock
	at            clock.Instant        // of that report
	regions       map[string][2]uint64 // reads and writes
	reads, writes float64              // counted so far, as regions come and go
}

// reportLasts is the longest time between two reports: servers report every three seconds.
const reportLasts = 10 * time.Second

// note takes a report, and counts the requests to regions that were also in the previous one.
func (l *serverLoads) note(s *admin.Server, at clock.Instant) {
	if s.Reported.Equal(l.reported) {
		return
	}
	// The server's clock gives only the time since its previous report: it may be hours off, or be set.
	after := l.at.Add(s.Reported.Sub(l.reported))
	if l.at.IsZero() || after.After(at) || at.Sub(after) > reportLasts || !after.After(l.at) {
		after = at
	}
	l.at = after
	now := make(map[string][2]uint64, len(s.RegionLoads))
	for i := range s.RegionLoads {
		r := &s.RegionLoads[i]
		now[r.Region] = [2]uint64{r.Reads, r.Writes}
		if before, there := l.regions[r.Region]; there && r.Reads >= before[0] && r.Writes >= before[1] {
			l.reads += float64(r.Reads - before[0])
			l.writes += float64(r.Writes - before[1])
		}
	}
	l.regions, l.reported = now, s.Reported
}

// group returns the readings of the noted report, at its instant.
func (l *serverLoads) group(s *admin.Server, address string) observe.Group {
	return observe.Group{Key: "loads", Source: address, At: l.at, Epoch: s.Name, Live: true, Readings: []observe.Reading{
		{Name: server + "requests_read", Unit: "1/s", Kind: observe.Counter, Value: l.reads},
		{Name: server + "requests_write", Unit: "1/s", Kind: observe.Counter, Value: l.writes},
		{Name: server + "store_files", Unit: "1", Value: float64(s.Stores)},
		{Name: server + "store_file_size", Unit: "bytes", Value: float64(s.StoresMB) * mega},
		{Name: server + "memstore_size", Unit: "bytes", Value: float64(s.MemstoreMB) * mega},
		{Name: server + "heap_used", Unit: "bytes", Value: float64(s.UsedHeapMB) * mega},
	}}
}
