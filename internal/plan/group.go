package plan

import (
	"strconv"

	"github.com/benchd/benchd/internal/workload"
)

// Mixed is the loop of a phase in which groups of both loops work. Its response times are never merged over groups.
const Mixed Loop = "mixed"

// The properties of groups of workers. A setting of a group is named GroupPrefix + its name + "." + a property.
const (
	GroupsProperty = "groups"
	GroupPrefix    = "group."
)

// Group is a group of workers that work beside others in the phases of a run, with a workload, a pacing and a table of
// its own. Its Settings are those of the case with its own settings over them.
type Group struct {
	Name string
	// Own are the properties that the group sets itself, and Properties are all that its part of the target is opened with.
	Own, Properties map[string]string
	Settings        Settings
}

// Loop is the loop of the group's operations.
func (g *Group) Loop() Loop { return loop(g.Settings.Pacing) }

// GroupsIn returns the groups that work in a phase. A run without groups, and a load, has one without a name.
func (s Settings) GroupsIn(phase PhaseName) []Group {
	if phase == Load || len(s.Groups) == 0 {
		return []Group{{Settings: s}}
	}
	return s.Groups
}

// Group returns the group of that name.
func (s Settings) Group(name string) (Group, bool) {
	for _, g := range s.Groups {
		if g.Name == name {
			return g, true
		}
	}
	return Group{}, false
}

// loopOf is the loop of the operations of a phase: that of all groups, or Mixed.
func (s Settings) loopOf(phase PhaseName) Loop {
	if phase == Load || len(s.Groups) == 0 {
		return loop(s.PacingOf(phase))
	}
	all := s.Groups[0].Loop()
	for i := range s.Groups {
		if s.Groups[i].Loop() != all {
			return Mixed
		}
	}
	return all
}

// Combined returns the proportions of all groups together, each group with the same weight: which operations a run
// issues at all.
func Combined(groups []Group) workload.Proportions {
	var all workload.Proportions
	for _, g := range groups {
		p := &g.Settings.Workload.Proportions
		sum := p.Sum()
		if sum <= 0 {
			continue
		}
		all.Read += p.Read / sum
		all.Update += p.Update / sum
		all.Insert += p.Insert / sum
		all.Scan += p.Scan / sum
		all.ReadModifyWrite += p.ReadModifyWrite / sum
		all.Delete += p.Delete / sum
		all.Increment += p.Increment / sum
		all.Append += p.Append / sum
		all.MultiGet += p.MultiGet / sum
		all.CheckAndPut += p.CheckAndPut / sum
		all.MultiRow += p.MultiRow / sum
	}
	return all
}

// GroupSeed returns the seed of a group of workers. It follows from the run's seed and the group's name alone, so that a group
// issues the same operations whatever other groups work beside it. It is 0 if the run's seed is: each run has its own.
func GroupSeed(of uint64, group string) uint64 {
	if of == 0 {
		return 0
	}
	return seed(0, strconv.FormatUint(of, 10)+"/"+group)
}
