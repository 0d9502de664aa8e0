package result

import (
	"cmp"
	"maps"
	"slices"
)

// host is the processors that one or more agents of a phase share.
type host struct {
	agents  []string
	cpus    string // if the agents may not run on all of their machine's
	shared  bool
	seconds float64
	idle    float64
	used    float64 // processors that the agents' own processes used, on average
	cores   float64
	steps   []*health
}

// own is the share of the busy processor time that the agents' own processes used; negative if unknown.
func (h host) own() float64 {
	if h.seconds == 0 || h.cores == 0 {
		return -1
	}
	busy := h.cores * (1 - h.idle/h.seconds)
	if busy <= 0 {
		return 0
	}
	return min(1, h.used/busy)
}

// hosts groups a phase's agents by their hosts.
func (b *Builder) hosts(p *phase) []host {
	where, cpus := make(map[string]string, len(b.agents)), make(map[string]string)
	for _, info := range b.shards() {
		where[info.Agent], cpus[info.Agent] = info.Host, info.CPUs
	}
	byHost := make(map[string][]string)
	for _, name := range p.agentNames() {
		at := cmp.Or(where[name], "agent "+name) + " " + cpus[name]
		byHost[at] = append(byHost[at], name)
	}
	var out []host
	for _, at := range slices.SortedFunc(maps.Keys(byHost), func(x, y string) int {
		return cmp.Compare(byHost[x][0], byHost[y][0])
	}) {
		h := host{agents: byHost[at], cpus: cpus[byHost[at][0]], shared: len(byHost[at]) > 1}
		for _, name := range h.agents {
			g := p.generators[name]
			h.seconds += g.seconds
			h.idle += g.idle
			h.cores = max(h.cores, g.cores)
			if g.elapsed > 0 {
				h.used += g.ownCPU / g.elapsed
			}
		}
		h.steps = p.stepsOf(h.agents)
		out = append(out, h)
	}
	return out
}

// stepsOf are the times and the idle CPU of the host of some agents, as all of them have seen it.
func (p *phase) stepsOf(agents []string) []*health {
	if len(agents) == 1 {
		return p.generators[agents[0]].steps()
	}
	steps := make(map[int64]*health)
	for _, name := range agents {
		for index, step := range p.generators[name].course {
			sum := steps[index]
			if sum == nil {
				sum = &health{start: step.start, end: step.end}
				steps[index] = sum
			}
			sum.start, sum.end = min(sum.start, step.start), max(sum.end, step.end)
			sum.seconds += step.seconds
			sum.idle += step.idle
		}
	}
	return sorted(steps)
}

func (h host) name() string {
	if h.shared {
		return agentsText(h.agents) + ", which share one host"
	}
	return agentsText(h.agents)
}
