package spec

import (
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// effect is the condition under which some properties have an effect.
type effect struct {
	properties []string
	needs      string // what to write, for the warning
	has        bool   // whether this submission meets the condition
}

// effects returns the properties that have an effect only with others. Those of the workload matter only to a run: a load
// may use the same workload file.
func (r *resolver) effects(s plan.Settings) []effect {
	is := func(name, value string) bool { return r.value(name) == value }
	c := s.Workload
	all := []effect{
		{[]string{"label", "status.interval"}, "-s or status=true", is("status", "true")},
		{[]string{"measurement.raw.output_file", "measurement.raw.no_summary"}, "measurementtype=raw or hdrhistogram+raw", strings.Contains(r.value("measurementtype"), "raw")},
		{[]string{"hdrhistogram.output.path"}, "hdrhistogram.fileoutput=true", is("hdrhistogram.fileoutput", "true")},
		{[]string{"fieldlengthhistogram"}, "fieldlengthdistribution=histogram", is("fieldlengthdistribution", "histogram")},
		{[]string{valueSizes}, "fieldlengthdistribution=sample", is("fieldlengthdistribution", "sample")},
		{[]string{"requesthistogram"}, "requestdistribution=histogram", is("requestdistribution", "histogram")},
	}
	all = append(all, effect{[]string{replaySpeed}, "trace", s.Trace != nil})
	all = append(all, effect{[]string{searchFrom, searchTo, searchKeep, searchTolerance, searchConfirm, searchProbes}, "search.vary", r.value(searchVary) != ""})
	all = append(all, effect{[]string{HandoverProperty}, "--phase load or load,run", s.Load})
	if s.Run {
		all = append(all,
			effect{[]string{"hotspotdatafraction", "hotspotopnfraction"}, "requestdistribution=hotspot", c.RequestDistribution == workload.Hotspot},
			effect{[]string{"exponential.percentile", "exponential.frac"}, "requestdistribution=exponential", c.RequestDistribution == workload.Exponential},
			effect{[]string{"minscanlength", "maxscanlength", "scanlengthdistribution"}, "scanproportion above 0", c.Proportions.Scan > 0},
			effect{[]string{"multiget.size"}, "multigetproportion above 0", c.Proportions.MultiGet > 0},
			effect{[]string{"multirow.size"}, "multirowproportion above 0", c.Proportions.MultiRow > 0},
			effect{[]string{"increment.by"}, "incrementproportion above 0", c.Proportions.Increment > 0},
		)
	}
	return all
}

// findInert finds the settings without an effect. Another case of a suite may use them, so suiteResolver decides.
func (r *resolver) findInert(s plan.Settings) {
	for _, effect := range r.effects(s) {
		for _, name := range effect.properties {
			e, ok := r.given[name]
			switch {
			case !ok || e.idle() || r.bad[name]:
			case effect.has:
				r.used = append(r.used, e.order)
			default:
				r.inert = append(r.inert, e.finding("has no effect without %s", effect.needs))
			}
		}
	}
}

// warnOfFlag warns if a flag overrides a setting of the same choice: the phase, or the target of -p.
func (r *resolver) warnOfFlag(before, e entry) {
	chooses := before.written == "dotransactions" || before.key.Name == "db" && before.rank == r.flags-1
	if e.rank != r.flags || !chooses {
		return
	}
	one, errOne := before.key.Canonical(before.value)
	other, errOther := e.key.Canonical(e.value)
	if errOne == nil && errOther == nil && one != other {
		r.warn(before, "has no effect: %s %s overrides it", e.place, e.value)
	}
}
