package observe

import (
	"time"

	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// serverLoads are what a region server last told the master of its regions: they stand for its JMX where that is not to
// be had.
type serverLoads struct {
	reported      time.Time
	regions       map[string][2]uint64 // reads and writes
	reads, writes float64              // that were counted so far, as regions come and go
}

// note takes a report, and counts what was asked of regions that were there before, too.
func (l *serverLoads) note(s *admin.Server) {
	if !s.Reported.After(l.reported) {
		return
	}
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

// group makes readings of a report. They are of when the server reported.
func (l *serverLoads) group(s *admin.Server, address string, at time.Time) Group {
	l.note(s)
	if !s.Reported.IsZero() && s.Reported.Unix() > 0 {
		at = s.Reported
	}
	return Group{Key: "loads", Source: address, At: at, Epoch: s.Name, Live: true, Readings: []Reading{
		{Name: server + "requests_read", Unit: "1/s", Kind: Counter, Value: l.reads},
		{Name: server + "requests_write", Unit: "1/s", Kind: Counter, Value: l.writes},
		{Name: server + "store_files", Unit: "1", Value: float64(s.Stores)},
		{Name: server + "store_file_size", Unit: "bytes", Value: float64(s.StoresMB) * mega},
		{Name: server + "memstore_size", Unit: "bytes", Value: float64(s.MemstoreMB) * mega},
		{Name: server + "heap_used", Unit: "bytes", Value: float64(s.UsedHeapMB) * mega},
	}}
}
