package compare

import (
	"strconv"

	"github.com/benchd/benchd/internal/result"
)

// target adds what is known of the target: the regions of the table as the run began, and what its telemetry tells of
// servers and regions over the phase. How many regions the table has at the end is what it began with and what the
// cluster's grew by meanwhile.
func (f figures) target(run result.Run, phase result.Phase) {
	regions, err := strconv.ParseFloat(run.Provenance.Target["hbase.table.regions"], 64)
	if err == nil {
		f["regions"] = regions
	}
	if first, last, ok := ends(phase, "hbase.master.regions"); ok && err == nil {
		f["regions_after"] = regions + last - first
	}
	if first, last, ok := ends(phase, "hbase.master.servers"); ok {
		f["region_servers_before"], f["region_servers_after"] = first, last
	}
	if _, last, ok := ends(phase, "hbase.master.regions_in_transition"); ok {
		f["regions_stuck_in_transition"] = last
	}
}

// ends are a figure that one source reported, as the phase began and as it ended.
func ends(phase result.Phase, name string) (first, last float64, ok bool) {
	for _, o := range phase.Observations {
		if o.Name == name && len(o.Points) > 0 {
			return o.Points[0][1], o.Points[len(o.Points)-1][1], true
		}
	}
	return 0, 0, false
}
