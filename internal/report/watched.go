package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// someServers is how many servers are listed one by one.
const someServers = 6

// watched summarizes what servers and hosts reported over a phase. The JSON has all of it.
func (p *page) watched(phase result.Phase) {
	var parts, servers []string
	for _, b := range briefs(p.options.Targets) {
		o := observed(phase, b.figure)
		if len(o) > 0 {
			parts = append(parts, b.title+" "+b.format(o))
		}
		if len(o) > 1 && b.each {
			servers = append(servers, b.title+": "+perServer(o))
		}
	}
	if len(parts) == 0 {
		return
	}
	p.wrap("telemetry  ", strings.Join(parts, ", "), plain)
	for _, text := range servers {
		p.wrap("           ", text, plain)
	}
}

// perServer lists the mean of a figure server by server, the highest first.
func perServer(all []result.Observation) string {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b result.Observation) int {
		if meanOf(a) > meanOf(b) {
			return -1
		}
		return 1
	})
	var out []string
	for _, o := range all[:min(len(all), someServers)] {
		out = append(out, fmt.Sprintf("%s %s", printable(o.Source), rate(meanOf(o))))
	}
	if n := len(all) - someServers; n > 0 {
		out = append(out, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(out, ", ")
}
