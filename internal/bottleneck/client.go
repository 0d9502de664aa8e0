package bottleneck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/result"
)

// mostlyOwn is the share of a machine's busy processor time from which agents are the reason that it is busy, and not the
// servers beside them.
const mostlyOwn = 0.5

// clients tests the load generators.
func (x *examination) clients() []tested {
	var all []tested
	for _, c := range x.phase.Clients {
		if t, ok := x.client(c); ok {
			all = append(all, t)
		}
	}
	return all
}

func (x *examination) client(c result.ClientTest) (tested, bool) {
	resources := result.ClientResources()
	i := slices.IndexFunc(resources, func(r result.ClientResource) bool { return r.Name == c.Resource })
	if i < 0 || c.Points < leastPoints {
		return tested{}, false
	}
	resource := resources[i]
	e := result.Evidence{
		Rule: ClientBound, Source: agents(c.Agents), Figure: resource.Figure, Value: c.Value, Limit: c.Limit, Unit: resource.Unit,
		Share: c.Share, Points: c.Points, Holds: enough(int(c.Share*float64(c.Points)+0.5), c.Points),
	}
	where := ""
	switch {
	case c.CPUs != "":
		where = fmt.Sprintf(" on the processors %s, which are all that it may use", c.CPUs)
	case c.Resource != result.ClientCPU && c.Resource != result.ClientScheduler:
	case !slices.ContainsFunc(c.Agents, func(name string) bool { return slices.Contains(x.shared, name) }):
	case c.Own >= 0 && c.Own < mostlyOwn:
		e.Note = fmt.Sprintf("a server runs on the same machine, and the agent used only %s of its busy processor time", withUnit(100*c.Own, "percent"))
		e.Holds = false
	}
	return tested{
		rule: descriptor.Bottleneck{
			Name:     ClientBound,
			Sentence: fmt.Sprintf("{source}, %s: %s {value}%s", resource.Title, resource.Figure, where),
		},
		agents:    c.Agents,
		resource:  c.Resource,
		threshold: resource.Threshold,
		evidence:  &e,
	}, true
}

func agents(names []string) string {
	if len(names) == 1 {
		return "agent " + names[0]
	}
	return "agents " + strings.Join(names, ", ")
}
