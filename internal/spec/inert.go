package spec

import (
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// effect says what some properties need to have an effect.
type effect struct {
	properties []string
	needs      string // what to write, for the warning
	has        bool   // whether this submission has it
}

// effects are the properties that have an effect only beside others. Those of the workload count where something is run: the file
// of a workload serves its load, too.
func (j *judge) effects(s plan.Settings) []effect {
	is := func(name, value string) bool { return j.value(name) == value }
	c := s.Workload
	all := []effect{
		{[]string{"label", "status.interval"}, "-s or status=true", is("status", "true")},
		{[]string{"measurement.raw.output_file", "measurement.raw.no_summary"}, "measurementtype=raw or hdrhistogram+raw", strings.Contains(j.value("measurementtype"), "raw")},
		{[]string{"hdrhistogram.output.path"}, "hdrhistogram.fileoutput=true", is("hdrhistogram.fileoutput", "true")},
		{[]string{"fieldlengthhistogram"}, "fieldlengthdistribution=histogram", is("fieldlengthdistribution", "histogram")},
	}
	all = append(all, effect{[]string{HandoverProperty}, "--phase load or load,run", s.Load})
	if s.Run {
		all = append(all,
			effect{[]string{"hotspotdatafraction", "hotspotopnfraction"}, "requestdistribution=hotspot", c.RequestDistribution == workload.Hotspot},
			effect{[]string{"exponential.percentile", "exponential.frac"}, "requestdistribution=exponential", c.RequestDistribution == workload.Exponential},
			effect{[]string{"minscanlength", "maxscanlength", "scanlengthdistribution"}, "scanproportion above 0", c.Proportions.Scan > 0},
			effect{[]string{"multiget.size"}, "multigetproportion above 0", c.Proportions.MultiGet > 0},
			effect{[]string{"increment.by"}, "incrementproportion above 0", c.Proportions.Increment > 0},
		)
	}
	return all
}

// findInert finds the settings without an effect. In a suite another case may use them, so its judge decides.
func (j *judge) findInert(s plan.Settings) {
	for _, effect := range j.effects(s) {
		for _, name := range effect.properties {
			e, ok := j.given[name]
			switch {
			case !ok || e.idle() || j.bad[name]:
			case effect.has:
				j.used = append(j.used, e.order)
			default:
				j.inert = append(j.inert, e.finding("has no effect without %s", effect.needs))
			}
		}
	}
}

// warnOfFlag warns of what a flag says otherwise where both were meant to choose the same thing: the phase, and, of -p, the target.
func (j *judge) warnOfFlag(before, e entry) {
	chooses := before.written == "dotransactions" || before.key.Name == "db" && before.rank == j.flags-1
	if e.rank != j.flags || !chooses {
		return
	}
	one, errOne := before.key.Canonical(before.value)
	other, errOther := e.key.Canonical(e.value)
	if errOne == nil && errOther == nil && one != other {
		j.warn(before, "has no effect: %s %s goes over it", e.place, e.value)
	}
}
