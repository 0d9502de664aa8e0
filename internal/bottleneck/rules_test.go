package bottleneck_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/bottleneck"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/result"
)

// Fabricated observations: each figure has some points, ten seconds apart.
type observed map[string]map[string][]float64 // by source and figure

const points = 8

func constant(value float64) []float64 { return slices.Repeat([]float64{value}, points) }

func (o observed) phase() result.Phase {
	p := result.Phase{Name: "measure", Loop: "closed", Seconds: 10 * points, Ops: 160_000, Throughput: 2000}
	op := result.Operation{Op: "READ", Outcome: "OK"}
	op.Service = result.Figures{Count: p.Ops, Mean: 8000} // 16 in flight
	p.Operations = []result.Operation{op}
	for source, figures := range o {
		for name, values := range figures {
			observation := result.Observation{Name: name, Source: source}
			for i, v := range values {
				observation.Points = append(observation.Points, [2]float64{float64(10 * (i + 1)), v})
			}
			p.Observations = append(p.Observations, observation)
		}
	}
	return p
}

func find(o observed, rules ...descriptor.Bottleneck) result.Bottleneck {
	p := o.phase()
	return bottleneck.Find(result.Run{}, &p, descriptor.Target{Watched: true, Bottlenecks: rules})
}

// level and uneven are rules of a target; machines have theirs.
func level() descriptor.Bottleneck {
	return descriptor.Bottleneck{
		Name: "cache_misses", Measure: descriptor.Measure{Figure: "hits", Unit: "percent", Below: true, Limit: 80},
		With:     []descriptor.Measure{{Figure: "reads", Per: "requests", Limit: 0.1}},
		Sentence: "{source} hit {value}",
	}
}

func uneven() descriptor.Bottleneck {
	return descriptor.Bottleneck{
		Name: "hot_region", Measure: descriptor.Measure{Figure: "requests", Limit: 3}, Uneven: true, LeastShare: 25,
		Sentence: "{source} has {value}, even is {even}",
	}
}

func TestAFigureBeyondItsThresholdIsALimit(t *testing.T) {
	cached := func(hits []float64) observed {
		return observed{"s1": {"hits": hits, "reads": constant(900), "requests": constant(1000)}}
	}
	found := find(cached(constant(40)), level())
	require.Equal(t, "cache_misses", found.Name)
	require.Equal(t, "cache misses: s1 hit 40 %", found.Sentence)
	require.Contains(t, found.Test, "hits below 80 % and reads / requests above 0.1")
	require.Equal(t, []result.Evidence{{
		Rule: "cache_misses", Holds: true, Source: "s1", Figure: "hits", Value: 40, Limit: 80, Unit: "percent", Share: 1, Points: points,
	}}, found.Evidence)
	require.Empty(t, found.Observe)

	for name, o := range map[string]observed{
		"just not beyond it":    cached(constant(80)),
		"one spike":             cached([]float64{0, 99, 99, 99, 99, 99, 99, 99}),
		"two spikes of four":    cached([]float64{0, 99, 0, 99}),
		"less than half":        cached([]float64{0, 0, 0, 99, 99, 99, 99, 99}),
		"too few points":        cached([]float64{0, 0}),
		"another source's":      {"s1": {"hits": constant(40)}, "s2": {"reads": constant(900), "requests": constant(1000)}},
		"a condition is unmet":  {"s1": {"hits": constant(40), "reads": constant(50), "requests": constant(1000)}},
		"at other instants":     {"s1": {"hits": []float64{0, 0, 0, 0, 99, 99, 99, 99}, "reads": []float64{0, 0, 0, 0, 9, 9, 9, 9}, "requests": constant(10)}},
		"a division by nothing": {"s1": {"hits": constant(40), "reads": constant(0), "requests": constant(0)}},
		"nothing observed":      {},
	} {
		found := find(o, level())
		require.Equal(t, bottleneck.NotDetermined, found.Name, name)
		require.NotEmpty(t, found.Sentence, name)
		require.NotEmpty(t, found.Observe, name)
		_, err := json.Marshal(found)
		require.NoError(t, err, name)
	}
	require.Contains(t, strings.Join(find(cached([]float64{0, 0}), level()).Observe, "\n"), "cache misses: hits, reads, requests: at least 3 points, of which this phase has 2: measure for longer")
	require.Equal(t, "cache_misses", find(cached([]float64{0, 0, 0, 0, 99, 99, 99, 99}), level()).Name, "half of the points is enough")
}

func TestAMeasureMultipliesAndDividesFigures(t *testing.T) {
	rule := descriptor.Bottleneck{
		Name: "wal_sync", Measure: descriptor.Measure{Figure: "mean", Times: "syncs", Per: "logs", Unit: "ms/s", Limit: 500}, Sentence: "{value}",
	}
	o := func(mean float64) observed {
		return observed{"s1": {"mean": constant(mean), "syncs": constant(100), "logs": constant(2)}}
	}
	require.Equal(t, "WAL sync: 600 ms/s", find(o(12), rule).Sentence)
	require.Equal(t, bottleneck.NotDetermined, find(o(10), rule).Name)
}

func TestAShareFarAboveTheEvenOneIsALimit(t *testing.T) {
	parts := func(n int, share float64) observed {
		o := observed{"hot": {"requests": constant(2000 * share)}}
		for i := range n - 1 {
			o[fmt.Sprintf("cold%d", i)] = map[string][]float64{"requests": constant(2000 * (1 - share) / float64(n-1))}
		}
		return o
	}
	found := find(parts(10, 0.98), uneven())
	require.Equal(t, "hot_region", found.Name)
	require.Equal(t, "hot region: hot has 98 %, even is 10 %", found.Sentence)
	require.Contains(t, found.Evidence[0].Note, "binomial test for an even share, corrected for their number: p < 0.001")
	require.Contains(t, found.Test, "share of requests at least 3 times the mean of the others and 25 % of the sum")
	require.Equal(t, "hot_region", find(parts(2, 0.76), uneven()).Name)
	require.Equal(t, "hot_region", find(parts(10, 0.26), uneven()).Name)
	require.Equal(t, "hot_region", find(parts(2, 1), uneven()).Name)

	for name, o := range map[string]observed{
		"of two, just not three times the other":                     parts(2, 0.74),
		"of ten, just not three times the mean":                      parts(10, 0.24),
		"of a hundred, many times the mean, but a small part of all": parts(100, 0.24),
		"even":      parts(10, 0.1),
		"one part":  parts(1, 1),
		"idle":      {"a": {"requests": constant(0)}, "b": {"requests": constant(0)}},
		"one spike": {"a": {"requests": []float64{900, 10, 10, 10, 10, 10, 10, 10}}, "b": {"requests": constant(10)}},
		"so few requests that chance explains it": {"a": {"requests": constant(0.05)}, "b": {"requests": constant(0.01)}},
		"too few points": {"a": {"requests": []float64{900, 900}}, "b": {"requests": []float64{1, 1}}},
	} {
		require.Equal(t, bottleneck.NotDetermined, find(o, uneven()).Name, name)
	}

	p := parts(10, 0.98).phase()
	p.Operations[0].Service.Mean = 1500 // 3 in flight
	alone := bottleneck.Find(result.Run{}, &p, descriptor.Target{Watched: true, Bottlenecks: []descriptor.Bottleneck{uneven()}})
	require.Equal(t, bottleneck.NotDetermined, alone.Name, "few operations do not queue, wherever they go")
	require.Contains(t, alone.Evidence[0].Note, "only 3 operations were in flight")
}

// Of a large table only busy regions are observed: their share is one of the whole, and their even share that of all parts.
func TestAShareOfPartsThatAreNotAllObserved(t *testing.T) {
	rule := uneven()
	rule.Whole, rule.Parts = "whole", "parts"
	o := func(hot []float64) observed {
		return observed{
			"hot": {"requests": hot},
			"s1":  {"whole": constant(600), "parts": constant(60)}, "s2": {"whole": constant(400), "parts": constant(40)},
		}
	}
	require.Equal(t, "hot region: hot has 50 %, even is 1 %", find(o(constant(500)), rule).Sentence)
	require.Equal(t, bottleneck.NotDetermined, find(o(constant(240)), rule).Name)
	late := o(nil)
	late["hot"]["requests"] = []float64{500, 500, 500}
	require.Equal(t, bottleneck.NotDetermined, find(merged(late, observed{"cold": {"requests": constant(1)}}), rule).Name, "it was busy for three of eight points")
	require.Contains(t, find(observed{"hot": {"requests": constant(500)}}, rule).Observe, "hot region: parts, requests, whole")
}

func merged(a, b observed) observed {
	maps.Copy(a, b)
	return a
}

// Each rule for machines holds beyond its threshold, and not just below it, nor for a single spike.
func TestMachinesHaveLimits(t *testing.T) {
	want := map[string]string{
		"node.disk_busy_percent":    "disk: the disk of n1/sda was busy for 95 % of the time",
		"node.net_received_percent": "NIC: the network interface of n1/sda received at 95 % of its speed",
		"node.net_sent_percent":     "NIC: the network interface of n1/sda sent at 95 % of its speed",
		"node.cpu_busy_percent":     "CPU of the servers: the processors of n1/sda were 95 % busy",
	}
	for _, rule := range bottleneck.Machine() {
		one := func(values []float64) observed { return observed{"n1/sda": {rule.Figure: values}} }
		found := find(one(constant(95)))
		require.Equal(t, rule.Name, found.Name)
		require.Equal(t, want[rule.Figure], found.Sentence, "add the sentence of a new rule here")
		require.Equal(t, bottleneck.NotDetermined, find(one(constant(rule.Limit))).Name)
		require.Equal(t, bottleneck.NotDetermined, find(one([]float64{100, 1, 1, 1, 1, 1, 1, 1})).Name)
	}
	require.Len(t, want, len(bottleneck.Machine()))
	nothing := find(observed{})
	require.Equal(t, "not determined: no rule had enough figures to be tested", nothing.Sentence)
	require.Contains(t, nothing.Observe, "disk: node.disk_busy_percent: name node_exporters of the servers' machines in telemetry.endpoints")
	require.Contains(t, nothing.Observe[4], "a run with more workers")
}

func TestOfSeveralLimitsTheFirstCauseIsTheVerdict(t *testing.T) {
	o := observed{
		"s1": {"hits": constant(40), "reads": constant(900), "requests": constant(1000)},
		"n1": {"node.disk_busy_percent": constant(99), "node.cpu_busy_percent": constant(90)},
	}
	found := find(o, level())
	require.Equal(t, "cache misses: s1 hit 40 % (these limits were reached, too: disk, CPU of the servers)", found.Sentence)
	var rules []string
	for _, e := range found.Evidence {
		rules = append(rules, e.Rule)
	}
	require.Equal(t, []string{"cache_misses", "disk", "server_cpu"}, rules)
}

// The figures of an agent's machine count if a server runs on it.
func TestAMachineThatAgentsShareWithAServer(t *testing.T) {
	phase := func(server string) result.Phase {
		return observed{server: {"requests": constant(10)}, "a": {"host.disk_busy_percent": constant(99)}}.phase()
	}
	run := result.Run{Provenance: result.Provenance{Agents: []result.Agent{{Name: "a", Hostname: "vm"}}}}
	target := descriptor.Target{Watched: true}
	for server, want := range map[string]string{
		"vm:16020": "disk", "vm.example.org:16020": "disk", "localhost:16020": "disk", "127.0.0.1:16020": "disk", "[::1]:16020": "disk",
		"other:16020": "not_determined", "10.0.0.1:16020": "not_determined",
	} {
		p := phase(server)
		require.Equal(t, want, bottleneck.Find(run, &p, target).Name, server)
	}
}

func TestASystemWithoutServersHasNoRules(t *testing.T) {
	p := observed{}.phase()
	found := bottleneck.Find(result.Run{}, &p, descriptor.Target{Name: "null"})
	require.Equal(t, bottleneck.NotDetermined, found.Name)
	require.Len(t, found.Observe, 1, "more workers")
}
