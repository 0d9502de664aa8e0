package hbasespec

import "github.com/benchd/benchd/internal/descriptor"

// columns lists the figures of a run that come from the facts and the telemetry of a cluster.
func columns() []descriptor.Column {
	return []descriptor.Column{
		{Name: "regions", Read: descriptor.Fact(tableRegions)},
		{Name: "regions_after", Read: regionsAfter},
		{Name: "region_servers_before", Read: descriptor.First("hbase.master.servers")},
		{Name: "region_servers_after", Read: descriptor.Last("hbase.master.servers")},
		{Name: "regions_stuck_in_transition", Read: descriptor.Last("hbase.master.regions_in_transition")},
	}
}

// tableRegions is the fact with the number of regions of the run's table at its start.
const tableRegions = "hbase.table.regions"

// regionsAfter is the table's number of regions at the start plus the growth of the cluster's number since.
func regionsAfter(r descriptor.Reported) *float64 {
	before := descriptor.Fact(tableRegions)(r)
	first, last, ok := r.Observed("hbase.master.regions")
	if before == nil || !ok {
		return nil
	}
	after := *before + last - first
	return &after
}
