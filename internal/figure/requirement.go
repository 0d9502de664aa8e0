package figure

import (
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// MissingRequirement reports what a case lacks for its runs to have a value in the column. It is empty if nothing is
// missing, or if only the run itself can show it.
func (c Column) MissingRequirement(of plan.Case) string {
	if c.Group != "" {
		return c.ofGroupMissing(of)
	}
	switch c.Class {
	case OfRun:
		if c.Figure.Needs != nil {
			return c.Figure.Needs(of.Settings)
		}
	case OfOperation:
		switch {
		case !of.Settings.Issues(c.Op):
			return "issues " + c.Op.String()
		case len(of.Settings.Groups) > 0:
			return "issues " + c.Op.String() + " outside of its groups (write the group first, such as " + of.Settings.Groups[0].Name + "." + c.Name + ")"
		case c.Service:
			return openLoop(of.Settings)
		}
	case Identity:
		switch c.Name {
		case "target", "mode", "product":
			return unless(of.Target != "", "has a target with a name")
		case "dataset":
			return unless(of.Dataset != "", "has a dataset")
		}
	case Other:
		return unless(has(of, c.Name), "has it")
	}
	return ""
}

// ofGroupMissing is MissingRequirement for a figure of a group of workers.
func (c Column) ofGroupMissing(of plan.Case) string {
	g, ok := of.Settings.Group(c.Group)
	switch {
	case !ok:
		return "has a group " + c.Group
	case c.Class == OfOperation && !g.Settings.Issues(c.Op):
		return "issues " + c.Op.String() + " in group " + c.Group
	case c.Service || c.Figure != nil && c.Figure.Name == offered:
		return unless(g.Loop() == plan.Open, "is an open loop in group "+c.Group+" (arrival: fixed or poisson)")
	}
	return ""
}

func unless(met bool, need string) string {
	if met {
		return ""
	}
	return need
}

// openLoop requires an open loop in the phase that the figures of a case are of.
func openLoop(s plan.Settings) string {
	phases := plan.Phases(s)
	return unless(len(phases) > 0 && phases[len(phases)-1].Loop == plan.Open, "is an open loop (arrival: fixed or poisson)")
}

// insertsOnly requires that every operation inserts: the rows of others are no measure of their work.
func insertsOnly(s plan.Settings) string {
	only := s.Load && !s.Run || s.Issues(workload.Insert) && s.Workload.Proportions.Insert == 1
	return unless(only, "only inserts (a load, or insertproportion: 1)")
}

func actions(s plan.Settings) string { return unless(len(s.Actions) > 0, "has actions") }

// verification requires that rows are compared with the written values when they are read.
func verification(s plan.Settings) string {
	verifies := s.Workload.DataIntegrity && (s.Issues(workload.Read) || s.Issues(workload.ReadModifyWrite))
	return unless(verifies, "verifies what it reads (dataintegrity: true)")
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
