package figure

import (
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// MissingRequirement says what a case would need, so that its runs had something for the column; it is empty where they have, and where
// only running tells.
func (c Column) MissingRequirement(of plan.Case) string {
	s := of.Settings
	switch {
	case c.Class == OfOperation && !s.Issues(c.Op):
		return "issues " + c.Op.String()
	case (c.Name == "offered_ops" || c.Service) && !open(s):
		return "is an open loop (arrival: fixed or poisson)"
	case c.Class == OfRun && (c.is("qps_worst") || c.is("recovery")) && len(s.Actions) == 0:
		return "has actions"
	case (c.Name == "verify_count" || c.Name == "verify_failed_count") && !verifies(s):
		return "verifies what it reads (dataintegrity: true)"
	case c.Class == Identity && c.target() && of.Target == "":
		return "has a target with a name"
	case c.Name == "dataset" && of.Dataset == "":
		return "has a dataset"
	case c.Class == Other && !has(of, c.Name):
		return "has it"
	}
	return ""
}

// verifies reports whether rows that are read are compared with what was written.
func verifies(s plan.Settings) bool {
	return s.Workload.DataIntegrity && (s.Issues(workload.Read) || s.Issues(workload.ReadModifyWrite))
}

func (c Column) is(figure string) bool {
	base, _ := Split(c.Name)
	return base == figure
}

func (c Column) target() bool { return c.Name == "target" || c.Name == "mode" || c.Name == "product" }

// open reports whether what the figures of a case are of is an open loop.
func open(s plan.Settings) bool {
	phases := plan.Phases(s)
	return len(phases) > 0 && phases[len(phases)-1].Loop == plan.Open
}

// has reports whether a case has a setting of that name.
func has(of plan.Case, name string) bool {
	for _, a := range of.Axes {
		if a.Key == name {
			return true
		}
	}
	_, ok := of.Properties[name]
	return ok
}
