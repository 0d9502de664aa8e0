package bottleneck

import (
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/result"
)

// Machine lists the rules for the machines of the servers of any watched target: those that endpoints report, and those of
// agents that share their machine with a server.
func Machine() []descriptor.Bottleneck {
	const observe = "name node_exporters of the servers' machines in telemetry.endpoints"
	of := func(figure string, limit float64) descriptor.Measure {
		return descriptor.Measure{Figure: result.NodeFigures + figure, Unit: "percent", Limit: limit}
	}
	return []descriptor.Bottleneck{
		{
			Name: Disk, Measure: of("disk_busy_percent", 90), Observe: observe,
			Sentence: "the disk of {source} was busy for {value} of the time",
		},
		{
			Name: NIC, Measure: of("net_received_percent", 90), Observe: observe,
			Sentence: "the network interface of {source} received at {value} of its speed",
		},
		{
			Name: NIC, Measure: of("net_sent_percent", 90), Observe: observe,
			Sentence: "the network interface of {source} sent at {value} of its speed",
		},
		{
			Name: ServerCPU, Measure: of("cpu_busy_percent", 80), Observe: observe,
			Sentence: "the processors of {source} were {value} busy",
		},
	}
}

// Rules lists the rules for a target: its own and those of machines, in the order of causes.
func Rules(target descriptor.Target) []descriptor.Bottleneck {
	if !target.Watched && len(target.Bottlenecks) == 0 {
		return nil // it has no servers
	}
	rules := append(append([]descriptor.Bottleneck{}, target.Bottlenecks...), Machine()...)
	sortRules(rules)
	return rules
}
