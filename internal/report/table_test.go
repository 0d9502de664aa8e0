package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// The tables for people. None is wider than 100 columns, and none has escape sequences unless requested.
// shown is a run as the terminal shows it.
type shown struct {
	run     result.Run
	options report.Options
}

// terminals are runs of all kinds.
func terminals(t *testing.T) map[string]shown {
	t.Helper()
	plain := report.YCSB{}
	overload := offered(3000, 300)
	overload.health = func(_, window int, h *latency.Health) { h.Backlog = uint64(400 * (window + 1)) }
	odd := mixed()
	odd.series = func(shard, _ int) []latency.Series {
		if shard == 1 {
			return []latency.Series{samples("READ", "OK", "", 1900, 800), samples("READ", "OK", "", 100, 90_000)}
		}
		return []latency.Series{samples("READ", "OK", "", 2000, 800)}
	}
	odd.health = func(shard, window int, h *latency.Health) {
		if shard == 2 && window > 1 {
			h.HostIdle = 0.04
		}
	}
	warmup := mixed()
	warmup.phase, warmup.windows = "warmup", 1
	return map[string]shown{
		"closed": {run: build(t, result.Run{Note: "first try"}, plain, load(), warmup, mixed())},
		"open":   {run: build(t, result.Run{}, plain, offered(6000, 1000))},
		"overloaded": {
			run: build(t, result.Run{
				Status: result.Failed, Reason: "limit: TIMEOUT share 2 % of the operations of measure is above 1 %",
			}, plain, overload),
		},
		"odd":    {run: build(t, result.Run{}, plain, odd)},
		"agents": {run: build(t, result.Run{}, plain, offered(6000, 1000)), options: report.Options{Agents: true}},
		"colour": {run: build(t, result.Run{Status: result.Partial}, plain, odd), options: report.Options{Colour: true}},
		"narrow": {run: build(t, result.Run{}, plain, mixed()), options: report.Options{Width: 72}},
		"queued": {run: result.Run{ID: "S.1", Status: result.Queued}},
		"partial": {run: build(t, result.Run{
			Status:   result.Partial,
			Missing:  []string{"agent b: windows 14–20", "agent c: lost at 12.3 s of 60 s"},
			Warnings: []string{"-p: jdbc.url: it is of another binding, which is not this run's; it was not used, and nobody will miss it"},
		}, plain, load())},
	}
}

func TestTable(t *testing.T) {
	for name, tc := range terminals(t) {
		t.Run(name, func(t *testing.T) {
			got := printed(t, tc.run, tc.options)
			golden(t, "table-"+name+".txt", got)
			if tc.options.Colour {
				return
			}
			require.NotContains(t, got, "\x1b")
			width := tc.options.Width
			if width == 0 {
				width = 100
			}
			for line := range strings.Lines(got) {
				require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width, line)
			}
		})
	}
}

// largeRun has the largest figures.
func largeRun() result.Run {
	figures := result.Figures{Count: 12_345_678_901, Mean: 3_599_999_000, Max: 86_400_000_000}
	p := 3_599_999_999.0
	figures.P50, figures.P90, figures.P95, figures.P99, figures.P999 = &p, &p, &p, &p, &p
	whole := "READ-MODIFY-WRITE"
	return result.Run{
		ID: "20261121-120000-abcdef.12", Status: result.Complete,
		Phases: []result.Phase{{
			Name: "measure", Loop: "open", Seconds: 345_600, Ops: 12_345_678_901, Throughput: 1_234_567, Rows: 12_345_678_901,
			Bytes: 12_345_678_901_000, OpsAfter: 1234,
			Operations: []result.Operation{
				{Op: whole, Outcome: "OK", Figures: figures, Service: figures},
				{Op: whole, Outcome: "SERVICE_UNAVAILABLE", Figures: figures},
				{Op: "UPDATE", Outcome: "SERVICE_UNAVAILABLE", PartOf: &whole, Figures: figures},
			},
			Retries:  map[string]uint64{"NotServingRegionException": 12_345_678_901, "connection": 3, "rpc_timeout": 4},
			Lateness: &result.Lateness{Count: 12_345_678_901, Mean: 12, P50: &p, P99: &p, Max: 86_400_000},
			Generators: []result.Generator{{
				Name: "client-machine-17", OwnCPU: 127.99, CPUPerOp: 12_345, LateSends: 12_345_678, LateMax: 12_345,
				SchedLagP99: 12_345, GCPauseMax: 12_345, BacklogMax: 123_456_789,
			}},
		}},
	}
}

// The largest figures still fit.
func TestTableOfLargeFigures(t *testing.T) {
	run := largeRun()
	for line := range strings.Lines(printed(t, run, report.Options{})) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 120, line)
	}
	golden(t, "table-large.txt", printed(t, run, report.Options{}))
}

// Of very many agents, those nearest to their limits are shown.
func TestTableOfManyAgents(t *testing.T) {
	run := result.Run{ID: "S.1", Status: result.Complete, Phases: []result.Phase{{Name: "measure", Loop: "closed"}}}
	for i := range 40 {
		idle := float64(90 - i)
		name := "m" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		run.Provenance.Agents = append(run.Provenance.Agents, result.Agent{Name: name, Workers: 4})
		run.Phases[0].Generators = append(run.Phases[0].Generators, result.Generator{Name: name, IdleMin: &idle, IdleMean: &idle})
	}
	golden(t, "table-many.txt", printed(t, run, report.Options{}))
}

// Text from a target or an agent cannot control the terminal.
func TestTableIsPrintable(t *testing.T) {
	run := result.Run{ID: "S.1", Phases: []result.Phase{{
		Name:   "measure",
		Errors: []result.ErrorSample{{Op: "READ", Outcome: "ERROR", Agent: "a", Message: "\x1b[2Jboo\r\nline\u009b31m"}},
		Events: []result.Event{{Kind: "hook", Text: "\x1b]0;title\x07"}},
	}}}
	got := printed(t, run, report.Options{})
	require.NotContains(t, got, "\x1b")
	require.NotContains(t, got, "\u009b")
	require.Contains(t, got, "boo line")
}

// A run's warnings are above its phases, and not repeated among their events.
func TestAWarningIsPrintedOnce(t *testing.T) {
	const gone, split = "the figures of rs1 cannot be read", "a region was split"
	run := result.Run{Warnings: []string{gone}, Phases: []result.Phase{{Name: "measure", Loop: "closed", Events: []result.Event{
		{T: 1, Kind: result.HappenedTelemetry, Text: gone}, {T: 2, Kind: result.HappenedSplit, Text: split},
	}}}}
	var out bytes.Buffer
	require.NoError(t, report.Table(&out, run, report.Options{}))
	require.Equal(t, 1, strings.Count(out.String(), gone), out.String())
	require.Contains(t, out.String(), "2.0 s: split: "+split)
	out.Reset()
	require.NoError(t, report.Markdown(&out, report.RunBook(run, targets())))
	require.Equal(t, 1, strings.Count(out.String(), gone), out.String())
	require.Contains(t, out.String(), "2.0 s: split: "+split)
}

func TestSuiteTable(t *testing.T) {
	first := build(t, result.Run{}, report.YCSB{}, load(), mixed())
	second := build(t, result.Run{Status: result.Partial, Missing: []string{"agent b: windows 14–20"}}, report.YCSB{}, offered(6000, 1000))
	second.ID, second.Case = "S.2", "a case with a very long name"
	third := result.Run{ID: "S.3", Case: "workloadc", Status: result.Queued}
	var out bytes.Buffer
	require.NoError(t, report.SuiteTable(&out, result.Suite{
		ID: "S", Name: "demo", Status: result.Running, Runs: []result.Run{first, second, third},
	}, report.Options{}))
	golden(t, "suite.txt", out.String())
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, line)
	}
}

// JSON is package result's, indented for people, without HTML escapes and with a trailing newline.
func TestJSON(t *testing.T) {
	indented := func(document any) string {
		var text, out bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		require.NoError(t, encoder.Encode(document))
		require.NoError(t, report.Indent(&out, bytes.TrimSpace(text.Bytes())))
		return out.String()
	}
	run := build(t, result.Run{Reason: "a < b & c"}, report.YCSB{}, load())
	golden(t, "run.json", indented(run.Whole()))
	golden(t, "suite.json", indented(result.Suite{
		Schema: 1, Kind: "suite", ID: "S", Status: result.Running, Runs: []result.Run{result.Run{ID: "S.1"}.Whole(), result.Run{ID: "S.2"}.Whole()},
	}))
	require.ErrorContains(t, report.Indent(new(bytes.Buffer), []byte("{")), "read result")
}

// full is a writer without space.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// Errors of the writer are returned.
func TestWriteErrors(t *testing.T) {
	run := build(t, result.Run{}, report.YCSB{}, load())
	require.ErrorIs(t, report.Table(full{}, run, report.Options{}), errFull)
	require.ErrorIs(t, report.SuiteTable(full{}, result.Suite{}, report.Options{}), errFull)
	require.ErrorIs(t, report.Indent(full{}, []byte("{}")), errFull)
	require.ErrorIs(t, report.Markdown(full{}, report.RunBook(run, targets())), errFull)
	require.ErrorIs(t, ycsb(t, nil).Write(full{}, run), errFull)
	require.NotEqual(t, time.Duration(0), ycsb(t, nil).StatusInterval)
}

// A reader sees which connections of a run were open to everyone on the network.
func TestTheTableShowsTheProtectionOfConnections(t *testing.T) {
	run := result.Run{ID: "S.1", Status: result.Complete, Provenance: result.Provenance{
		Listeners: []string{"gRPC 0.0.0.0:7070: TLS", "HTTP 0.0.0.0:7071: plain text, with --insecure"},
		Agents:    []result.Agent{{Name: "a", Connection: "TLS"}, {Name: "b", Connection: "TLS"}},
	}}
	shown := func() string {
		var out strings.Builder
		require.NoError(t, report.Table(&out, run, report.Options{Width: 200}))
		return out.String()
	}
	require.Contains(t, shown(), "network  gRPC 0.0.0.0:7070: TLS; HTTP 0.0.0.0:7071: plain text, with --insecure; agents: TLS\n")
	run.Provenance.Agents[1].Connection = "plain text, with --insecure"
	require.Contains(t, shown(), "; agents (a): TLS; agents (b): plain text, with --insecure\n")
	run.Provenance = result.Provenance{}
	require.NotContains(t, shown(), "network", "a run of an older build")
}
