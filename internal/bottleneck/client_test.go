package bottleneck_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/bottleneck"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/result"
)

func client(resource string, value, share float64) result.ClientTest {
	return result.ClientTest{Agents: []string{"a"}, Resource: resource, Value: value, Limit: 20, Points: 10, Share: share, Own: -1}
}

// open is a phase of an open loop.
func open(offered, achieved float64, backlog uint64, tests ...result.ClientTest) result.Phase {
	p := observed{}.phase()
	p.Loop, p.Offered, p.Throughput = "open", &offered, achieved
	p.Unsent = backlog
	p.Clients = tests
	return p
}

func verdict(p result.Phase) result.Bottleneck {
	return bottleneck.Find(result.Run{}, &p, descriptor.Target{Watched: true})
}

func TestAnOfferedRateThatWasKeptHasNoLimit(t *testing.T) {
	kept := verdict(open(1000, 999, 0, client(result.ClientCPU, 70, 0.1)))
	require.Equal(t, bottleneck.None, kept.Name)
	require.Equal(t, "none: the offered rate was kept: offered 1,000 ops/s, achieved 999 ops/s", kept.Sentence)
	require.Len(t, kept.Evidence, 1, "nothing else is tested")
	require.Empty(t, kept.Observe)
	require.NotEmpty(t, kept.Test)

	require.Equal(t, bottleneck.None, verdict(open(1000, 970, 800)).Name, "a Poisson process may offer less; no backlog of 1 % of 80 s")
	require.Equal(t, bottleneck.NotDetermined, verdict(open(1000, 970, 801)).Name)
	require.Equal(t, bottleneck.None, verdict(open(1000, 991, 5000)).Name, "the throughput is that offered")
	busy, late := client(result.ClientScheduler, 5, 0.9), client(result.ClientTiming, 1.1, 0)
	require.Equal(t, bottleneck.ClientBound, verdict(open(1000, 1000, 0, busy, late)).Name)
	late.Value = 1
	require.Equal(t, bottleneck.None, verdict(open(1000, 1000, 0, busy, late)).Name, "its goroutines waited, but it was on time")
	require.Equal(t, bottleneck.ClientBound, verdict(open(1000, 900, 2000, busy, late)).Name, "the rate was not kept")
	late.Value, late.Agents = 40, []string{"b"}
	require.Equal(t, bottleneck.None, verdict(open(1000, 1000, 0, busy, late)).Name, "another agent was late")
	busy.Share, late.Agents = 0.4, busy.Agents
	require.Equal(t, bottleneck.None, verdict(open(1000, 1000, 0, busy, late)).Name, "late for another reason than its resources")
	starved := client(result.ClientCPU, 5, 0.9)
	require.Equal(t, bottleneck.ClientBound, verdict(open(1000, 1000, 0, starved)).Name, "its latencies include its wait for a processor")
	closed := observed{}.phase()
	require.Equal(t, bottleneck.NotDetermined, verdict(closed).Name, "a closed loop has a limit")
}

// Each resource of an agent is a limit in half of the windows, and not in fewer, nor in too few windows.
func TestAnAgentIsTheLimit(t *testing.T) {
	want := map[string]string{
		result.ClientCPU:       "client-bound: agent a, CPU: idle CPU 5 %",
		result.ClientScheduler: "client-bound: agent a, scheduler: scheduler lag p99 5 ms",
		result.ClientPauses:    "client-bound: agent a, GC: stop-the-world pauses 5 %",
		result.ClientNetwork:   "client-bound: agent a, network: use of a network interface 5 %",
		result.ClientTiming:    "client-bound: agent a, timing: operations sent late 5 %",
	}
	for _, r := range result.ClientResources() {
		found := verdict(open(1000, 500, 40_000, client(r.Name, 5, 0.5)))
		require.Equal(t, bottleneck.ClientBound, found.Name)
		require.Equal(t, want[r.Name], found.Sentence, "add the sentence of a new resource here")
		require.Contains(t, found.Test, r.Threshold)
		require.Equal(t, "agent a", found.Evidence[0].Source)

		less := verdict(open(1000, 500, 40_000, client(r.Name, 5, 0.4)))
		require.Equal(t, bottleneck.NotDetermined, less.Name, r.Name)
		require.False(t, less.Evidence[0].Holds)
		short := client(r.Name, 5, 1)
		short.Points = 2
		require.Equal(t, bottleneck.NotDetermined, verdict(open(1000, 500, 40_000, short)).Name, r.Name)
	}
	require.Len(t, want, len(result.ClientResources()))
}

// An agent beside a server is not the limit because the server is busy; an agent on processors of its own is.
func TestAnAgentBesideAServer(t *testing.T) {
	run := result.Run{Provenance: result.Provenance{Agents: []result.Agent{{Name: "a", Hostname: "vm"}}}}
	find := func(server string, c result.ClientTest) result.Bottleneck {
		p := observed{server: {"requests": constant(1)}, "a": {"host.cpu_busy_percent": constant(97)}}.phase()
		p.Clients = []result.ClientTest{c}
		return bottleneck.Find(run, &p, descriptor.Target{Watched: true})
	}
	busy := client(result.ClientCPU, 3, 1)
	for _, tc := range []struct {
		server string
		own    float64
		cpus   string
		want   string
	}{
		{"vm:16020", 0.49, "", "server_cpu"},
		{"vm:16020", 0.5, "", "client_bound"},
		{"vm:16020", -1, "", "client_bound"},
		{"vm:16020", 0.2, "0", "client_bound"},
		{"other:16020", 0.2, "", "client_bound"},
	} {
		c := busy
		c.Own, c.CPUs = tc.own, tc.cpus
		require.Equal(t, tc.want, find(tc.server, c).Name, "%+v", tc)
	}
	c := busy
	c.Own = 0.2
	require.Contains(t, find("vm:16020", c).Evidence[1].Note, "the agent used only 20 % of its busy processor time")
	c.CPUs = "0"
	require.Equal(t, "client-bound: agent a, CPU: idle CPU 3 % on the processors 0, which are all that it may use (these limits were reached, too: CPU of the servers)",
		find("vm:16020", c).Sentence)
	network := client(result.ClientNetwork, 95, 1)
	network.Own = 0.1
	require.Equal(t, "client_bound", find("vm:16020", network).Name)
}

func TestTheBottleneckOfACase(t *testing.T) {
	none := &result.Bottleneck{Name: "none", Sentence: "none: kept"}
	disk := &result.Bottleneck{Name: "disk", Sentence: "disk: busy"}
	require.Empty(t, bottleneck.OfRuns([]*result.Bottleneck{nil, nil}))
	require.Equal(t, "none: kept", bottleneck.OfRuns([]*result.Bottleneck{none, nil}))
	require.Equal(t, "none: kept (all 2 runs; figures of the first)", bottleneck.OfRuns([]*result.Bottleneck{none, none}))
	require.Equal(t, "none in 2, disk in 1 of 3 runs; the first: none: kept", bottleneck.OfRuns([]*result.Bottleneck{disk, none, none}))
	require.Equal(t, "disk in 1, none in 1 of 2 runs; the first: disk: busy", bottleneck.OfRuns([]*result.Bottleneck{none, disk}), "causes come first")
}
