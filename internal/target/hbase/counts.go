package hbase

import "github.com/benchd/benchd/internal/load"

// Counts returns what the client has done so far besides operations: retries, connections that it opened, and region
// look-ups. Retries has the reasons. With timeline-consistent reads, it also returns the operations that asked replicas, those that
// a replica answered, and those among them that found no row there.
func (t *Table) Counts() map[string]uint64 {
	if t.second != nil {
		retries, dials, lookups := t.second.Counts()
		return map[string]uint64{"retry": uint64(max(retries, 0)), "connect": uint64(max(dials, 0)), "region_lookup": uint64(max(lookups, 0))}
	}
	counts := map[string]uint64{
		"retry":         uint64(max(t.retries.Load(), 0)),
		"connect":       uint64(max(t.dials.Load(), 0)),
		"region_lookup": uint64(max(t.regions.count.Load(), 0)),
	}
	if t.settings.Timeline {
		counts["hedged_read"] = uint64(max(t.hedges.asked.Load(), 0))
		counts["stale_read"] = uint64(max(t.hedges.stale.Load(), 0))
		counts["stale_not_found"] = uint64(max(t.hedges.missing.Load(), 0))
	}
	return counts
}

var _ load.Counter = (*Table)(nil)
