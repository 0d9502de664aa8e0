package figure

import "strconv"

// ofTarget are the figures of a run that facts and telemetry of its target give: of HBase.
func ofTarget() []Figure {
	return []Figure{
		{Name: "regions", Read: (*Measurement).regions},
		{Name: "regions_after", Read: regionsAfter},
		{Name: "region_servers_before", Read: first("hbase.master.servers")},
		{Name: "region_servers_after", Read: last("hbase.master.servers")},
		{Name: "regions_stuck_in_transition", Read: last("hbase.master.regions_in_transition")},
	}
}

// regions are those of the run's table as the run began.
func (m *Measurement) regions() *float64 {
	n, err := strconv.ParseFloat(m.Target["hbase.table.regions"], 64)
	if err != nil {
		return nil
	}
	return &n
}

// regionsAfter are those that the table began with, and what the cluster's grew by meanwhile.
func regionsAfter(m *Measurement) *float64 {
	before := m.regions()
	first, last, ok := m.Observed("hbase.master.regions")
	if before == nil || !ok {
		return nil
	}
	after := *before + last - first
	return &after
}

// first reads what telemetry reported as the phase began.
func first(observed string) func(*Measurement) *float64 {
	return func(m *Measurement) *float64 {
		if value, _, ok := m.Observed(observed); ok {
			return &value
		}
		return nil
	}
}

// last reads what telemetry reported as the phase ended.
func last(observed string) func(*Measurement) *float64 {
	return func(m *Measurement) *float64 {
		if _, value, ok := m.Observed(observed); ok {
			return &value
		}
		return nil
	}
}
