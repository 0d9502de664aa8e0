package report_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/incident"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/table"
)

// aRun is a run of a case, of reads.
func aRun(id, of string, repeat int, throughput, mean float64) result.Run {
	p99 := 4 * mean
	r := result.Run{
		ID: id, Name: "demo", Case: of, Repeat: repeat, Status: result.Complete,
		Reconcile: result.Reconcile{Issued: 1000, Recorded: 1000, Merged: 1000, OK: true},
		Resolved:  map[string]string{"db": "sandbox", "threadcount": "10", "threads.total": "0"},
		Provenance: result.Provenance{
			Benchd: "1.0.0", SubmittedBy: "alice", Created: planned,
			Target:    map[string]string{"target": "sandbox", "hbase.version": "2.6.0", "hbase.table.regions": "201"},
			Agents:    []result.Agent{{Name: "a", Hostname: "host-a", Cores: 8, CPU: "EPYC", Memory: 16e9, OS: "linux", Kernel: "6.1", Go: "go1.26", Version: "1.0.0", Connection: "TLS"}},
			Listeners: []string{"gRPC 0.0.0.0:7070: TLS", "HTTP 0.0.0.0:7071: plain text, with --insecure"},
		},
		Start: &result.Start{Planned: planned.Add(time.Duration(repeat) * time.Minute)},
		Phases: []result.Phase{{
			Name: "measure", Loop: "closed", Seconds: 10, Ops: uint64(10 * throughput), Throughput: throughput,
			Operations: []result.Operation{{Op: "READ", Outcome: "OK", Figures: result.Figures{Count: 1000, Mean: mean, Min: mean / 2, Max: 20 * mean, P50: &mean, P99: &p99}}},
		}},
	}
	for i := range 10 {
		ops := throughput
		if i == 4 {
			ops = throughput / 10
		}
		r.Phases[0].Series = append(r.Phases[0].Series, result.Point{T: float64(i), Seconds: 1, Ops: uint64(ops)})
	}
	return r
}

// aSuite has a sweep, a case with an action, and incomplete runs.
func aSuite() result.Suite {
	partial := aRun("S.4", "r1 read threadcount=20", 1, 50_000, 150)
	partial.Status, partial.Missing = result.Partial, []string{"agent b: windows 14–20"}
	prodded := aRun("S.5", "r2 prodded", 1, 2000, 700)
	prodded.Phases[0].Actions = []result.Action{{Do: "major_compact table=usertable", T: 20, Seconds: 2, Outcome: "done"}}
	prodded.Phases[0].Observations = []result.Observation{
		{Name: "hbase.master.servers", Source: "m:16010", Unit: "1", Points: [][2]float64{{0, 3}, {9, 4}}},
		{Name: "hbase.regionserver.requests", Source: "rs1:16030", Unit: "1/s", Points: [][2]float64{{0, 1000}, {9, 1200}}},
		{Name: "hbase.regionserver.requests", Source: "rs2:16030", Unit: "1/s", Points: [][2]float64{{0, 900}, {9, 900}}},
		{Name: "hbase.regionserver.block_cache_hit_percent", Source: "rs1:16030", Unit: "percent", Points: [][2]float64{{0, 90}, {9, 80}}},
		{Name: "hbase.regionserver.store_files", Source: "rs1:16030", Unit: "1", Points: [][2]float64{{0, 12}, {9, 4}}},
		{Name: "hbase.regionserver.compacted", Source: "rs1:16030", Unit: "bytes/s", Points: [][2]float64{{0, 0}, {9, 5e6}}},
		{Name: "host.cpu_busy_percent", Source: "a", Unit: "percent", Points: [][2]float64{{0, 30}, {9, 40}}},
		{Name: "node.cpu_busy_percent", Source: "http://rs1:9100/metrics", Unit: "percent", Points: [][2]float64{{0, 90}, {9, 94}}},
	}
	prodded.Phases[0].Seconds, prodded.Phases[0].Series = 40, nil
	for i := range 40 {
		ops := 2000 + 10*uint64(i%3)
		if i >= 21 && i < 26 {
			ops = 200
		}
		prodded.Phases[0].Series = append(prodded.Phases[0].Series, result.Point{T: float64(i), Seconds: 1, Ops: ops})
	}
	prodded.Phases[0].Events = []result.Event{{T: 22, Kind: result.HappenedCompaction, Text: "compaction begins on rs1"}, {T: 36, Kind: result.HappenedSplit, Text: "a region was split"}}
	prodded.Phases[0].Effects()
	prodded.Phases[0].Incidents = incident.Of(&prodded.Phases[0])
	bound := aRun("S.3", "r1 read threadcount=10", 2, 43_210, 231)
	bound.Verdicts = []result.Verdict{{Name: "client_bound", Value: true, Because: "agent a: 4 % idle CPU", Test: "less than 20 % idle CPU"}}
	good := aRun("S.2", "r1 read threadcount=10", 1, 41_000, 243.5)
	good.Verdicts = []result.Verdict{{Name: "client_bound", Value: false, Test: "less than 20 % idle CPU"}}
	failed := aRun("S.6", "r2 prodded", 2, 1, 1)
	failed.Status, failed.Reason = result.Failed, "12 of 100 operations | found *no* row"
	s := result.Suite{
		Schema: 1, Kind: "suite", ID: "S", Name: "demo", Status: result.Failed, Note: "of a <test>",
		Runs: []result.Run{aRun("S.1", "fill rows", 1, 9000, 1100), good, bound, partial, prodded, failed},
		Plan: &result.Plan{
			Order: plan.Sequential, Trial: true,
			Cases: []result.PlannedCase{
				{Name: "fill rows", Dataset: "rows", Fills: true, Repeats: 1},
				{Name: "r1 read threadcount=10", Scenario: "r1 read", Dataset: "rows", Repeats: 2, Axes: []plan.Setting{{Key: "threadcount", Value: "10"}}, Published: []map[string]any{
					{"run": 1.0, "threads": 10.0, "throughput_ops": 42752.40, "read_avg_ms": 0.427}, {"run": 2.0, "threads": 10.0, "throughput_ops": 42000.0, "read_avg_ms": 0.431},
				}},
				{Name: "r1 read threadcount=20", Scenario: "r1 read", Dataset: "rows", Repeats: 1, Axes: []plan.Setting{{Key: "threadcount", Value: "20"}}, Published: []map[string]any{
					{"run": 1.0, "threads": 20.0, "throughput_ops": 67884.0, "read_avg_ms": 0.289},
				}},
				{Name: "r2 prodded", Scenario: "r2 prodded", Dataset: "rows", Repeats: 2},
			},
			Tables: []plan.Table{
				{Title: "Reads by threads", Scenarios: []string{"r1 read"}, Columns: []string{"threads", "run", "throughput_ops", "read_avg_ms", "read_p99_us", "regions"}, Repeats: true},
				{Title: "Prodded", Scenarios: []string{"r2 prodded"}, Columns: []string{"scenario", "qps_low", "qps_worst", "recovery_s"}},
			},
		},
	}
	for _, i := range []int{0, 2, 1, 3, 4} {
		s.Ran = append(s.Ran, result.Turn{Run: s.Runs[i].ID})
	}
	table.Conclude(&s, targets())
	return s
}

func TestASuitesReportAsMarkdown(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.Markdown(&out, report.SuiteBook(aSuite(), targets())))
	golden(t, "suite.md", out.String())
}

func TestARunsReportAsMarkdown(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.Markdown(&out, report.RunBook(aSuite().Runs[4], targets())))
	golden(t, "run.md", out.String())
}

func TestASuiteAtTheTerminal(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.SuiteTable(&out, aSuite(), report.Options{Width: 120}))
	golden(t, "suite_cases.txt", out.String())
}

func TestASuitesTablesAndCasesAsCSV(t *testing.T) {
	s := aSuite()
	var tables, cases bytes.Buffer
	require.NoError(t, report.TablesCSV(&tables, s))
	require.NoError(t, report.CasesCSV(&cases, s))
	rows, err := csv.NewReader(&tables).ReadAll()
	require.NoError(t, err)
	var origins []string
	for _, row := range rows {
		if row[0] == "Reads by threads" && row[1] == "1" && row[7] == "throughput_ops" {
			origins = append(origins, row[9]+" "+row[10])
		}
	}
	require.Equal(t, []string{"measured 41000", "published 42752.4"}, origins, "what was published is never taken for what was measured")
	rows, err = csv.NewReader(&cases).ReadAll()
	require.NoError(t, err)
	for _, row := range rows {
		if row[7] == "read_p99_us" {
			require.Empty(t, row[11], "percentiles are not averaged")
			require.NotEmpty(t, row[12])
		}
	}
	require.Contains(t, strings.Join(rows[len(rows)-1], ","), "S.6 (failed)", "a run that is excluded from the means is named")
}
