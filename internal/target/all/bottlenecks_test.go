package all_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/bottleneck"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/all"
)

var update = flag.Bool("update", false, "write the table of rules in docs/bottlenecks.md, those of properties in the pages of targets, and docs/suite.schema.json")

// figures are the values of a source's figures over a phase.
type figures map[string]float64

// situation is a phase in which a rule holds, and phases in which it nearly does.
type situation struct {
	Sentence string
	Limit    map[string]figures            // by source
	Near     map[string]map[string]figures // by reason, and by source
}

// situationsOf returns the situations of all targets by rule: limit and figure. Those of a database are in its folder, in
// NAMEspec/testdata/bottlenecks.json.
func situationsOf(t *testing.T) map[string]situation {
	t.Helper()
	known := situations()
	files, err := filepath.Glob("../*/*spec/testdata/bottlenecks.json")
	require.NoError(t, err)
	for _, name := range files {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		decoder := json.NewDecoder(bytes.NewReader(content))
		decoder.DisallowUnknownFields()
		var own map[string]situation
		require.NoError(t, decoder.Decode(&own), name)
		for rule, s := range own {
			require.NotContains(t, known, rule, name)
			known[rule] = s
		}
	}
	return known
}

const server = "hbase.regionserver."

// situations are those of HBase.
func situations() map[string]situation {
	one := func(f figures) map[string]figures { return map[string]figures{"n1:16020": f} }
	return map[string]situation{
		"hot_region hbase.region.requests": {
			Sentence: "hot region: region u,user5 received 90 % of the requests to its table; an even share is 10 %",
			Limit: map[string]figures{
				"u,user5": {"hbase.region.requests": 900}, "u,": {"hbase.region.requests": 20},
				"n1:16020": {server + "table_requests": 1000, server + "table_regions": 10},
			},
			Near: map[string]map[string]figures{"24 % of ten": {
				"u,user5": {"hbase.region.requests": 240}, "u,": {"hbase.region.requests": 50},
				"n1:16020": {server + "table_requests": 1000, server + "table_regions": 10},
			}},
		},
		"hot_server hbase.regionserver.table_requests": {
			Sentence: "hot server: region server n2:16020 received 80 % of the requests to the table; an even share is 33.3 %",
			Limit: map[string]figures{
				"n1:16020": {server + "table_requests": 100}, "n2:16020": {server + "table_requests": 800}, "n3:16020": {server + "table_requests": 100},
			},
			Near: map[string]map[string]figures{"59 % of three": {
				"n1:16020": {server + "table_requests": 210}, "n2:16020": {server + "table_requests": 590}, "n3:16020": {server + "table_requests": 200},
			}},
		},
		"compaction hbase.regionserver.updates_blocked": {
			Sentence: "compaction: updates of region server n1:16020 were blocked for 300 ms/s, until flushes and compactions had made room",
			Limit:    one(figures{server + "updates_blocked": 300}),
			Near:     map[string]map[string]figures{"seldom blocked": one(figures{server + "updates_blocked": 50})},
		},
		"cache_misses hbase.regionserver.block_cache_hit_percent": {
			Sentence: "cache misses: region server n1:16020 found only 31 % of the blocks in its block cache",
			Limit:    one(figures{server + "block_cache_hit_percent": 31, server + "block_cache_misses": 950, server + "calls": 1000}),
			Near: map[string]map[string]figures{
				"hits":             one(figures{server + "block_cache_hit_percent": 80, server + "block_cache_misses": 950, server + "calls": 1000}),
				"few calls missed": one(figures{server + "block_cache_hit_percent": 31, server + "block_cache_misses": 90, server + "calls": 1000}),
			},
		},
		"gc hbase.regionserver.gc_time": {
			Sentence: "GC: region server n1:16020 was in garbage collection for 250 ms/s",
			Limit:    one(figures{server + "gc_time": 250}),
			Near:     map[string]map[string]figures{"a tenth of the time": one(figures{server + "gc_time": 100})},
		},
		"wal_sync hbase.regionserver.wal_sync_mean": {
			Sentence: "WAL sync: region server n1:16020 synced its WAL for 880 ms/s",
			Limit:    one(figures{server + "wal_sync_mean": 8, server + "wal_syncs": 110}),
			Near: map[string]map[string]figures{
				"quick syncs": one(figures{server + "wal_sync_mean": 0.5, server + "wal_syncs": 1000}),
				"few syncs":   one(figures{server + "wal_sync_mean": 8, server + "wal_syncs": 60}),
			},
		},
		"handler_queue hbase.regionserver.call_queue": {
			Sentence: "handler queue: on region server n1:16020, 14 calls waited for each handler, while its process used less than 80 % of the processors",
			Limit:    one(figures{server + "call_queue": 14, server + "handlers": 1, server + "cpu_percent": 45}),
			Near: map[string]map[string]figures{
				"many handlers": one(figures{server + "call_queue": 30, server + "handlers": 30, server + "cpu_percent": 45}),
			},
		},
		"server_cpu hbase.regionserver.cpu_percent": {
			Sentence: "CPU of the servers: the process of region server n1:16020 used 95 % of the processors that it may use",
			Limit:    one(figures{server + "call_queue": 90, server + "handlers": 30, server + "cpu_percent": 95}),
			Near:     map[string]map[string]figures{"a fifth idle": one(figures{server + "call_queue": 20, server + "handlers": 30, server + "cpu_percent": 80})},
		},
	}
}

// observe fabricates a phase of 80 s in which the figures have the given values at some of eight instants, and else their
// opposite: nothing happens.
func observe(sources map[string]figures, often int, quiet map[string]figures) result.Phase {
	p := result.Phase{Name: "measure", Loop: "closed", Seconds: 80, Ops: 80_000, Throughput: 1000}
	op := result.Operation{Op: "UPDATE", Outcome: "OK"}
	op.Service = result.Figures{Count: p.Ops, Mean: 16_000}
	p.Operations = []result.Operation{op}
	for source, all := range sources {
		for name, value := range all {
			o := result.Observation{Name: name, Source: source}
			for i := range 8 {
				if i >= often {
					value = quiet[source][name]
				}
				o.Points = append(o.Points, [2]float64{float64(10 * (i + 1)), value})
			}
			p.Observations = append(p.Observations, o)
		}
	}
	return p
}

// Each rule of each target recognizes its limit, and has counter-examples: values at the threshold, and spikes.
func TestEachLimitOfATargetHasACounterExample(t *testing.T) {
	known := situationsOf(t)
	seen := make(map[string]bool)
	for _, described := range all.Targets().Descriptors() {
		for _, rule := range described.Bottlenecks {
			key := rule.Name + " " + rule.Figure
			s, ok := known[key]
			require.True(t, ok, "add a situation for the rule %q of target %s to its testdata/bottlenecks.json", key, described.Name)
			require.NotEmpty(t, s.Near, key)
			seen[key] = true
			verdict := func(p result.Phase) result.Bottleneck { return bottleneck.Find(result.Run{}, &p, described) }
			always := verdict(observe(s.Limit, 8, nil))
			require.Equal(t, rule.Name, always.Name, key)
			require.Equal(t, s.Sentence, always.Sentence, key)
			require.Contains(t, always.Test, bottleneck.Threshold(rule), key)
			for reason, near := range s.Near {
				require.Equal(t, bottleneck.NotDetermined, verdict(observe(near, 8, nil)).Name, "%s: %s", key, reason)
				require.Equal(t, rule.Name, verdict(observe(s.Limit, 4, near)).Name, "%s: half of the points, then %s", key, reason)
				require.Equal(t, bottleneck.NotDetermined, verdict(observe(s.Limit, 2, near)).Name, "%s: two spikes, then %s", key, reason)
			}
		}
	}
	require.Len(t, seen, len(known), "remove the situations of rules that no longer exist")
}

func TestRulesOfTargetsNameKnownLimits(t *testing.T) {
	for _, described := range all.Targets().Descriptors() {
		for _, rule := range described.Bottlenecks {
			require.True(t, slices.ContainsFunc(bottleneck.Limits(), func(l bottleneck.Limit) bool { return l.Name == rule.Name }), rule.Name)
			require.Contains(t, rule.Sentence, "{source}")
			require.Contains(t, rule.Sentence, "{value}")
		}
	}
}

func TestRulesAreDocumented(t *testing.T) {
	table := doctable.Table{Head: []string{"Limit", "Threshold of a point", "Target"}}
	var rows [][]string
	for _, rule := range bottleneck.Machine() {
		rows = append(rows, row(rule, "any with servers"))
	}
	byRule := make(map[string][]string)
	var rules []descriptor.Bottleneck
	for _, described := range all.Targets().Descriptors() {
		for _, rule := range described.Bottlenecks {
			key := rule.Name + bottleneck.Threshold(rule)
			if len(byRule[key]) == 0 {
				rules = append(rules, rule)
			}
			byRule[key] = append(byRule[key], "`"+described.Name+"`")
		}
	}
	for _, rule := range rules {
		rows = append(rows, row(rule, strings.Join(byRule[rule.Name+bottleneck.Threshold(rule)], ", ")))
	}
	for _, l := range bottleneck.Limits() {
		for _, row := range rows {
			if row[0] == "`"+l.Name+"`" {
				table.Rows = append(table.Rows, row)
			}
		}
	}
	require.Len(t, table.Rows, len(rows))
	doctable.Generated(t, "docs/bottlenecks.md", "rules", table, *update)
}

func row(rule descriptor.Bottleneck, targets string) []string {
	return []string{"`" + rule.Name + "`", bottleneck.Threshold(rule), targets}
}
