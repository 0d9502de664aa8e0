package suites_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
)

func TestEachPublishedFigureIsInASuiteAndATable(t *testing.T) {
	for _, b := range published(t) {
		t.Run(b.ID, func(t *testing.T) {
			s := read(t, files()[b.ID], false)
			for _, c := range b.Cases {
				entries, scenarios, repeats := ofCase(s, c.ID)
				said := c.Results
				if c.Average != nil {
					said = append(slices.Clone(said), withRun(c.Average))
				}
				for _, e := range entries {
					require.True(t, slices.ContainsFunc(said, func(r map[string]any) bool { return within(e, r) }),
						"%s: the suite has %v, which is not published", c.ID, e)
				}
				for _, r := range said {
					require.True(t, slices.ContainsFunc(entries, func(e map[string]any) bool { return within(e, r) }),
						"%s: %v is not in the suite", c.ID, r)
					for key := range r {
						if v := r[key]; v != nil && shown(key) {
							require.True(t, inTable(s, scenarios, key), "%s: no table shows %s", c.ID, key)
						}
					}
					if n, ok := r["run"].(int); ok {
						require.GreaterOrEqual(t, repeats, n, "%s: repeats", c.ID)
					}
				}
			}
		})
	}
}

// ofCase returns a suite's entries of a published case.
func ofCase(s *plan.Suite, of string) (entries []map[string]any, scenarios []string, repeats int) {
	for _, c := range s.Cases {
		if c.Fills || id(c.Scenario) != of {
			continue
		}
		entries = append(entries, c.Published...)
		scenarios = append(scenarios, c.Scenario)
		repeats = c.Repeats
	}
	return entries, scenarios, repeats
}

func withRun(average map[string]any) map[string]any {
	out := map[string]any{"run": "average"}
	maps.Copy(out, average)
	return out
}

// within reports whether a published entry has all values of a suite's entry.
func within(entry, said map[string]any) bool {
	for key, v := range entry {
		switch {
		case key == "at" || v == nil:
			continue
		case key == "threads.total":
			key = "threads"
		case strings.HasSuffix(key, "_avg_text"):
			key = "latency_text"
		}
		if fmt.Sprint(v) != fmt.Sprint(said[key]) {
			return false
		}
	}
	for _, key := range []string{"mode", "product", "client", "run", "threads", "recordcount", "operationcount", "major_compaction"} {
		v, given := said[key], entry[key]
		if key == "threads" && given == nil {
			given = entry["threads.total"]
		}
		if v != nil && given == nil && (key != "mode" || entry["insert_avg_us"] == nil) {
			return false
		}
	}
	return true
}

// shown reports whether a table must have a column for a key. The other keys are facts beside a report's tables, and
// bounds that it gives in words.
func shown(key string) bool {
	for _, part := range []string{"gc_young", "gc_old", "gc_total_pct", "cleanup_", "_ok_count", "latency_", "throughput_low", "throughput_high", "throughput_about"} {
		if strings.Contains(key, part) {
			return false
		}
	}
	return key != "major_compaction" // two scenarios
}

func inTable(s *plan.Suite, scenarios []string, key string) bool {
	keys := []string{key}
	if key == "throughput_text" {
		keys = []string{"throughput_ops", "throughput_rows"}
	}
	return slices.ContainsFunc(s.Tables, func(t plan.Table) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(t.Columns, key) }) && slices.ContainsFunc(t.Scenarios, func(name string) bool { return slices.Contains(scenarios, name) })
	})
}

func TestEveryTrialIsSmallAndStillHasEnoughOfEachKind(t *testing.T) {
	const most = 200_000
	least := map[string]float64{"r5-nosql.yaml": 662} // of its figures none is a percentile, and a database may be slow
	targets := map[string]string{"first.yaml": "null"}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	suites := 0
	for _, f := range entries {
		if f.Name() == "published.yaml" {
			continue
		}
		suites++
		t.Run(f.Name(), func(t *testing.T) {
			read(t, f.Name(), false)
			rows, least := make(map[[2]string]float64), cmp.Or(least[f.Name()], 7000)
			for _, c := range read(t, f.Name(), true).Cases {
				w := c.Settings.Workload
				p, key := w.Proportions, [2]string{c.Dataset, c.Target}
				require.LessOrEqual(t, w.RecordCount, int64(most), c.Name)
				if f.Name() == "r5-nosql.yaml" {
					require.Equal(t, c.Target, c.Settings.DB, "it compares databases")
				} else {
					require.Equal(t, cmp.Or(targets[f.Name()], "sandbox"), c.Settings.DB, c.Name)
				}
				if recreates(c) {
					require.Regexp(t, "^(trial_|benchd_smoke$)", c.Properties["table"], "%s would drop a table that may be somebody's", c.Name)
				}
				if c.Settings.Load {
					require.GreaterOrEqual(t, float64(w.LoadCount()), least, c.Name)
					rows[key] += float64(w.LoadCount())
					continue
				}
				if c.Search != nil { // its probes end by time
					require.Less(t, c.Settings.Duration*time.Duration(c.Search.Most), 20*time.Second, c.Name)
					continue
				}
				if c.Settings.Duration > 0 && w.OperationCount == 0 { // ends by time
					require.LessOrEqual(t, c.Settings.Duration, 20*time.Second, c.Name)
					continue
				}
				shares := []float64{p.Read, p.Update, p.Insert, p.Scan, p.ReadModifyWrite, p.Delete, p.Increment, p.Append, p.MultiGet, p.CheckAndPut}
				var sum float64
				for _, share := range shares {
					sum += share
				}
				for _, share := range shares {
					if share > 0 {
						require.GreaterOrEqual(t, share/sum*float64(w.OperationCount), least, "%s: operations with a share of %g", c.Name, share)
					}
				}
				rows[key] += p.Insert / sum * float64(w.OperationCount) * float64(max(c.Repeats, 1))
			}
			for key, n := range rows {
				require.LessOrEqual(t, n, float64(most), "rows of %v at the end", key)
			}
		})
	}
	require.Equal(t, 17, suites)
}

// recreates reports whether a case drops its table, on any database.
func recreates(c plan.Case) bool {
	for name, value := range c.Properties {
		if strings.HasSuffix(name, ".create") && value == "recreate" {
			return true
		}
	}
	return false
}
