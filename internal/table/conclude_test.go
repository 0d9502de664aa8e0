package table_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/table"
)

// ran is a complete run whose reads took a mean and a p99.
func ran(id, name string, repeat int, throughput, mean, p99 float64) result.Run {
	return result.Run{
		ID: id, Case: name, Repeat: repeat, Status: result.Complete, Reconcile: result.Reconcile{OK: true},
		Resolved:   map[string]string{"db": "store", "threadcount": "10", "threads.total": "0", "recordcount": "1000"},
		Provenance: result.Provenance{Target: map[string]string{"store.regions": "201"}},
		Phases: []result.Phase{
			{Name: "warmup", Loop: "closed", Seconds: 5, Throughput: 1},
			{Name: "measure", Loop: "closed", Seconds: 10, Throughput: throughput, Ops: 1000, Operations: []result.Operation{
				{Op: "READ", Outcome: "OK", Figures: result.Figures{Count: 990, Mean: mean, Min: mean / 2, Max: 10 * mean, P99: &p99}, Agents: []result.AgentOperation{{Name: "a", Count: 990, Mean: mean, Max: 10 * mean, P99: &p99}}},
				{Op: "READ", Outcome: "ERROR", Figures: result.Figures{Count: 10, Mean: 1e6}},
			}},
		},
	}
}

func suite(cases []result.PlannedCase, tables []plan.Table, runs ...result.Run) *result.Suite {
	s := &result.Suite{ID: "S", Plan: &result.Plan{Cases: cases, Tables: tables}, Runs: runs}
	table.Conclude(s, descriptor.List{{Name: "store", Columns: []descriptor.Column{{Name: "regions", Read: descriptor.Fact("store.regions")}}}})
	return s
}

func figure(t *testing.T, c result.Case, name string) result.Figure {
	t.Helper()
	for _, f := range c.Figures {
		if f.Name == name {
			return f
		}
	}
	require.Failf(t, "no such figure", "%s", name)
	return result.Figure{}
}

// text is a table as readable text.
func text(table result.Table) string {
	var b strings.Builder
	for i, c := range table.Columns {
		if i > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(c.Name)
		if c.Published {
			b.WriteString(" (published)")
		}
	}
	for _, r := range table.Rows {
		b.WriteString("\n" + string(r.Kind) + ":")
		for _, c := range r.Cells {
			switch {
			case c.Number != nil:
				fmt.Fprintf(&b, " %.6g |", *c.Number)
			case c.Text != "":
				b.WriteString(" " + c.Text + " |")
			default:
				b.WriteString(" - |")
			}
		}
	}
	return b.String()
}

func TestMeansExcludeAndNameIncompleteRuns(t *testing.T) {
	partial := ran("S.3", "c", 3, 9e9, 9e9, 9e9)
	partial.Status, partial.Missing = result.Partial, []string{"agent b: windows 14–20"}
	failed := ran("S.4", "c", 4, 9e9, 9e9, 9e9)
	failed.Status, failed.Reason = result.Failed, "a limit was violated"
	odd := ran("S.5", "c", 5, 9e9, 9e9, 9e9)
	odd.Reconcile = result.Reconcile{Issued: 10, Recorded: 10, Merged: 9}
	s := suite([]result.PlannedCase{{Name: "c", Scenario: "s", Repeats: 5}}, []plan.Table{{Title: "t", Scenarios: []string{"s"}, Columns: []string{"throughput_ops"}}},
		ran("S.1", "c", 1, 1000, 200, 500), ran("S.2", "c", 2, 3000, 400, 900), partial, failed, odd)

	c := s.Cases[0]
	require.Equal(t, []string{"S.1", "S.2"}, c.Runs)
	require.Equal(t, []result.LeftOut{
		{Run: "S.3", Status: result.Partial, Because: "missing: agent b: windows 14–20"},
		{Run: "S.4", Status: result.Failed, Because: "a limit was violated"},
		{Run: "S.5", Status: result.Complete, Because: "its counts do not reconcile: 10 issued, 10 recorded, 9 merged"},
	}, c.LeftOut)
	throughput := figure(t, c, "throughput_ops")
	require.InDelta(t, 2000, *throughput.Mean, 0)
	require.Equal(t, 2, throughput.N)
	require.InDelta(t, 300, *figure(t, c, "read_avg_us").Mean, 0, "failed operations do not improve a latency")
	p99 := figure(t, c, "read_p99_us")
	require.Nil(t, p99.Mean, "percentiles are not averaged")
	require.InDelta(t, 700, *p99.Median, 0)
	require.InDelta(t, 10, *figure(t, c, "failed_ops").Mean, 0)
	require.Equal(t, "measure", c.Phase)
	require.Len(t, s.Tables[0].Notes, 4, "a table names each run that its means exclude")
	require.Equal(t, "Measured in a closed loop.", s.Tables[0].Notes[0])
	require.Contains(t, s.Tables[0].Notes[2], "S.4 (c, repeat 4) is failed and excluded from the means: a limit was violated")
}

func TestTablesShowPublishedBesideMeasuredFigures(t *testing.T) {
	type entries = []map[string]any
	axis := func(key, value string) []plan.Setting { return []plan.Setting{{Key: key, Value: value}} }
	tests := []struct {
		name  string
		cases []result.PlannedCase
		table plan.Table
		runs  []result.Run
		want  string
	}{
		{
			"every repeat, those that only the report has too, and the average that it prints",
			[]result.PlannedCase{{Name: "s", Scenario: "s", Repeats: 2, Published: entries{
				{"run": 1.0, "throughput_ops": 3881.0, "read_avg_ms": 2.4},
				{"run": 2.0, "throughput_ops": 4265.0, "read_avg_ms": 2.1},
				{"run": 3.0, "throughput_ops": 4516.0, "read_avg_ms": 2.0},
				{"run": "average", "throughput_ops": 4213.0, "read_avg_ms": 2.19},
			}}},
			plan.Table{Columns: []string{"run", "throughput_ops", "read_avg_ms", "regions"}, Repeats: true},
			[]result.Run{ran("S.1", "s", 1, 1000, 200, 500), ran("S.2", "s", 2, 3000, 400, 900)},
			`run | throughput_ops | throughput_ops (published) | read_avg_ms | read_avg_ms (published) | regions
run: 1 | 1000 | 3881 | 0.2 | 2.4 | 201 |
run: 2 | 3000 | 4265 | 0.4 | 2.1 | 201 |
run: 3 | - | 4516 | - | 2 | - |
case: mean of 2 | 2000 | 4213 | 0.3 | 2.19 | 201 |`,
		},
		{
			"an axis, with the median of percentiles, the least min and the greatest max",
			[]result.PlannedCase{
				{Name: "s 10", Scenario: "s", Repeats: 2, Axes: axis("threadcount", "10"), Published: entries{{"threads": 10.0, "read_p99_us": 293.0}}},
				{Name: "s 20", Scenario: "s", Repeats: 1, Axes: axis("threadcount", "20"), Published: entries{{"threads": 20.0, "read_p99_us": 479.0}}},
			},
			plan.Table{Columns: []string{"threadcount", "runtime_ms", "read_min_us", "read_p99_us", "read_max_us"}},
			[]result.Run{ran("S.1", "s 10", 1, 1000, 200, 500), ran("S.2", "s 10", 2, 3000, 400, 900)},
			`threadcount | runtime_ms | read_min_us | read_p99_us | read_p99_us (published) | read_max_us
case: 10 | 10000 | 100 | 700 | 293 | 4000 |
case: 20 | - | - | - | 479 | - |`,
		},
		{
			"the peak of a sweep, in the report's words",
			[]result.PlannedCase{
				{Name: "s 10", Scenario: "s", Repeats: 1, Axes: axis("threads.total", "10"), Published: entries{{"at": "peak", "throughput_text": "more than 70000"}}},
				{Name: "s 50", Scenario: "s", Repeats: 1, Axes: axis("threads.total", "50"), Published: entries{{"at": "peak", "throughput_text": "more than 70000"}, {"threads.total": 50.0, "throughput_low": 60000.0}}},
			},
			plan.Table{Columns: []string{"threads.total", "throughput_ops"}},
			[]result.Run{ran("S.1", "s 10", 1, 1000, 200, 500), ran("S.2", "s 50", 1, 3000, 400, 900)},
			`threads.total | throughput_ops | throughput_ops (published)
case: 10 | 1000 | - |
case: 50 | 3000 | above 60000 |
peak: peak, at 50 | 3000 | more than 70000 |`,
		},
		{
			"systems that the suite does not measure",
			[]result.PlannedCase{{Name: "s", Scenario: "s", Target: "hbase", Repeats: 1, Published: entries{
				{"product": "mongodb", "throughput_text": "above 80000"}, {"product": "hbase", "throughput_high": 10000.0},
			}}},
			plan.Table{Columns: []string{"product", "throughput_ops"}},
			[]result.Run{ran("S.1", "s", 1, 1000, 200, 500)},
			`product | throughput_ops | throughput_ops (published)
case: hbase | 1000 | below 10000 |
case: mongodb | - | above 80000 |`,
		},
		{
			"the only run of a case that the report has as a whole",
			[]result.PlannedCase{{Name: "s", Scenario: "s", Repeats: 1, Published: entries{{"started_normally": true}}}},
			plan.Table{Columns: []string{"run", "throughput_ops", "started_normally"}, Repeats: true},
			[]result.Run{ran("S.1", "s", 1, 1000, 200, 500)},
			`run | throughput_ops | started_normally (published)
run: 1 | 1000 | yes |`,
		},
		{
			"each client machine",
			[]result.PlannedCase{{Name: "s", Scenario: "s", Target: "A", Repeats: 1, Published: entries{
				{"mode": "A", "client": 1.0, "read_p99_us": 829439.0}, {"mode": "A", "client": 2.0, "read_p99_us": 828927.0},
			}}},
			plan.Table{Columns: []string{"mode", "client", "read_avg_us", "read_p99_us"}},
			[]result.Run{func() result.Run {
				r := ran("S.1", "s", 1, 1000, 200, 500)
				r.Provenance.Agents = []result.Agent{{Name: "a"}}
				return r
			}()},
			`mode | client | read_avg_us | read_p99_us | read_p99_us (published)
run: A | 1 | 200 | 500 | 829439 |
run: A | 2 | - | - | 828927 |`,
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			tc.table.Scenarios = []string{"s"}
			s := suite(tc.cases, []plan.Table{tc.table}, tc.runs...)
			require.Equal(t, tc.want, text(s.Tables[0]))
			encoded, err := json.Marshal(s.Tables[0])
			require.NoError(t, err)
			var back result.Table
			require.NoError(t, json.Unmarshal(encoded, &back))
			require.Equal(t, tc.want, text(back), "a table is the same after its journey as JSON")
		})
	}
}

// Law 2: open and closed loops share no table, no mean and no peak.
func TestOpenAndClosedLoopsAreNeverCompared(t *testing.T) {
	open := ran("S.2", "r threads=20", 1, 900, 5, 6)
	open.Phases[1].Loop = "open"
	again := ran("S.4", "r threads=10", 2, 50, 5, 6) // the first case's second run, of another loop
	again.Phases[1].Loop = "open"
	cases := []result.PlannedCase{
		{Name: "r threads=10", Scenario: "r", Repeats: 2, Axes: []plan.Setting{{Key: "threadcount", Value: "10"}}, Published: []map[string]any{{"at": "peak", "throughput_ops": 1000.0}}},
		{Name: "r threads=20", Scenario: "r", Repeats: 1, Axes: []plan.Setting{{Key: "threadcount", Value: "20"}}},
		{Name: "r threads=30", Scenario: "r", Repeats: 1, Axes: []plan.Setting{{Key: "threadcount", Value: "30"}}},
	}
	s := suite(cases, []plan.Table{{Title: "T", Scenarios: []string{"r"}, Columns: []string{"threads", "throughput_ops"}}},
		ran("S.1", "r threads=10", 1, 100, 5, 6), open, ran("S.3", "r threads=30", 1, 200, 5, 6), again)

	require.Equal(t, []string{"S.1"}, s.Cases[0].Runs)
	require.Len(t, s.Cases[0].LeftOut, 1)
	require.Equal(t, "its loop is open and that of the case's first run is closed: they are not comparable", s.Cases[0].LeftOut[0].Because)
	require.InDelta(t, 100.0, *figure(t, s.Cases[0], "throughput_ops").Mean, 1e-9)

	require.Len(t, s.Tables, 2)
	require.Equal(t, "T (closed loop)", s.Tables[0].Title)
	require.Equal(t, "T (open loop)", s.Tables[1].Title)
	require.NotContains(t, text(s.Tables[0]), "900")
	require.Contains(t, text(s.Tables[0]), "peak, at 30 | 200", "the peak of the open loop is another one's")
	require.NotContains(t, text(s.Tables[1]), "200")
	require.Contains(t, s.Tables[0].Notes[0], "Measured in a closed loop.")
	require.Contains(t, s.Tables[1].Notes[0], "Measured in an open loop.")
}

// Cases with groups share a table of the groups' figures, although one ran in an open loop, one in a closed loop, and one in both: each
// group is compared with itself.
func TestFiguresOfGroupsShareATable(t *testing.T) {
	of := func(id, name string, groups ...result.Group) result.Run {
		r := ran(id, name, 1, 100, 5, 6)
		p := &r.Phases[1]
		p.Groups, p.Operations = groups, nil
		p.Loop = groups[0].Loop
		if len(groups) > 1 {
			p.Loop = "mixed"
		}
		return r
	}
	reads, scans := result.Group{Name: "reads", Loop: "open", Throughput: 300}, result.Group{Name: "scans", Loop: "closed", Throughput: 20}
	named := func(groups string) result.PlannedCase {
		return result.PlannedCase{Name: groups, Scenario: "g", Repeats: 1, Axes: []plan.Setting{{Key: "groups", Value: groups}}}
	}
	cases := []result.PlannedCase{named("reads"), named("scans"), named("reads,scans")}
	tables := func(columns []string, runs ...result.Run) []result.Table {
		return suite(cases, []plan.Table{{Title: "T", Scenarios: []string{"g"}, Columns: columns}}, runs...).Tables
	}
	alone, closed, both := of("S.1", "reads", reads), of("S.2", "scans", scans), of("S.3", "reads,scans", reads, scans)
	columns := []string{"groups", "reads.throughput_ops", "scans.throughput_ops"}
	one := tables(columns, alone, closed, both)
	require.Len(t, one, 1)
	require.Equal(t, "T", one[0].Title)
	require.Equal(t, `groups | reads.throughput_ops | scans.throughput_ops
case: reads | 300 | - |
case: scans | - | 20 |
case: reads,scans | 300 | 20 |`, text(one[0]))
	require.Equal(t, []string{"Each group of workers has a loop of its own: compare its figures only with its own in another row."}, one[0].Notes)

	require.Len(t, tables(append(columns, "throughput_ops"), alone, closed, both), 3, "the whole throughput is not that of a group")
	reads.Loop = "closed"
	require.Len(t, tables(columns, of("S.1", "reads", reads), closed, both), 2, "the group of reads ran in both loops")
}

// An odd repeat is named, and stays in the figures; six repeats bound the median.
func TestOddRepeatsAreNamedAndNotLeftOut(t *testing.T) {
	var runs []result.Run
	for i, x := range []float64{1000, 1010, 990, 1005, 995, 400} {
		runs = append(runs, ran(fmt.Sprintf("S.%d", i+1), "c", i+1, x, 100, 200))
	}
	s := suite([]result.PlannedCase{{Name: "c", Repeats: 6}}, nil, runs...)
	f := figure(t, s.Cases[0], "throughput_ops")
	require.Equal(t, []string{"S.6"}, f.Odd)
	require.Equal(t, 6, f.N)
	require.InDelta(t, 900, *f.Mean, 1e-9)
	require.InDelta(t, 400, f.Interval.Low, 0)
	require.InDelta(t, 1010, f.Interval.High, 0)
	require.Empty(t, figure(t, s.Cases[0], "read_p99_us").Odd)
}
