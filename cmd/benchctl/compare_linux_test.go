package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/cli/ttytest"
	"github.com/benchd/benchd/internal/result"
)

// fabricated is a suite of reads, updates and scans like those of an archive: cases × repeats, a series of windows, and
// telemetry. Its latencies are multiplied by factor(case).
func fabricated(id string, cases, repeats, windows int, factor func(int) float64) result.Suite {
	random := rand.New(rand.NewPCG(uint64(cases), uint64(len(id))+uint64(id[0])))
	s := result.Suite{Schema: 1, Kind: "suite", ID: id, Name: "fabricated", Status: result.Complete, Plan: &result.Plan{}}
	for i := range cases {
		name := fmt.Sprintf("workload %c threads=%d", 'a'+i%6, 1<<(i/6))
		s.Plan.Cases = append(s.Plan.Cases, result.PlannedCase{Name: name, Repeats: repeats})
		for repeat := range repeats {
			noise := func() float64 { return factor(i) * (1 + 0.015*random.NormFloat64()) }
			run := result.Run{
				Schema: 1, Kind: "run", ID: fmt.Sprintf("%s.%d", id, len(s.Runs)+1), Case: name, Repeat: repeat + 1, Status: result.Complete,
				Resolved: map[string]string{"db": "hbase"}, Start: &result.Start{Planned: time.Date(2026, 3, int(id[0]-'A')+1, 0, len(s.Runs), 0, 0, time.UTC)},
				Provenance: result.Provenance{Benchd: id, Target: map[string]string{}, Agents: []result.Agent{{Name: "a", Cores: 16, CPU: "a CPU"}}},
			}
			for j := range 60 {
				run.Resolved[fmt.Sprintf("property.number.%d", j)] = "some value"
				run.Provenance.Target[fmt.Sprintf("fact.%d", j)] = "some fact"
			}
			slower := noise()
			phase := result.Phase{Name: "measure", Loop: "closed", Seconds: float64(windows), Throughput: 10_000 / slower}
			for j, op := range []string{"READ", "UPDATE", "SCAN"} {
				phase.Operations = append(phase.Operations, result.Operation{Op: op, Outcome: "OK", Figures: latencies(uint64(windows)*3000, float64(1+j)*slower, noise()), Service: latencies(uint64(windows)*3000, slower, 1)})
			}
			for w := range windows {
				point := result.Point{T: float64(w), Seconds: 1, Ops: 9000}
				for _, o := range phase.Operations {
					point.Operations = append(point.Operations, result.PointOperation{Op: o.Op, Outcome: "OK", Count: 3000, Mean: o.Mean * random.Float64(), P50: o.P50, P99: o.P99, Max: o.Max, ServiceMean: o.Mean * random.Float64()})
				}
				phase.Series = append(phase.Series, point)
			}
			for j := range 20 {
				o := result.Observation{Name: fmt.Sprintf("figure.of.a.server.%d", j), Source: "rs1:16030", Unit: "percent"}
				for w := 0; w < windows; w += 5 {
					o.Points = append(o.Points, [2]float64{float64(w), 100 * random.Float64()})
				}
				phase.Observations = append(phase.Observations, o)
			}
			phase.Ops = uint64(windows) * 9000
			run.Reconcile = result.Reconcile{Issued: phase.Ops, Recorded: phase.Ops, Merged: phase.Ops, OK: true}
			run.Phases = []result.Phase{phase}
			s.Runs = append(s.Runs, run)
		}
	}
	return s
}

func latencies(count uint64, factor, tail float64) result.Figures {
	at := func(us float64) *float64 { return &us }
	return result.Figures{
		Count: count, Mean: 900 * factor, Min: 100, Max: 50_000, P50: at(800 * factor), P90: at(1500 * factor), P95: at(2000 * factor),
		P99: at(9000 * tail), P999: at(20_000 * tail),
	}
}

// write writes a suite as `benchctl report --format json` does.
func write(t testing.TB, dir string, s result.Suite) string {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	require.NoError(t, enc.Encode(s))
	path := filepath.Join(dir, s.ID+".json")
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
	return path
}

// some makes every tenth case slower and every seventh faster.
func some(i int) float64 {
	switch {
	case i%10 == 3:
		return 1.12
	case i%7 == 2:
		return 0.9
	}
	return 1
}

// BenchmarkCompare is the whole command on two suites of 50 cases × 5 repeats with three operations: its time with the
// length of the runs in windows.
func BenchmarkCompare(b *testing.B) {
	program, err := os.Executable()
	require.NoError(b, err)
	for _, windows := range []int{60, 300} {
		b.Run(fmt.Sprintf("%d windows", windows), func(b *testing.B) {
			dir := b.TempDir()
			left := write(b, dir, fabricated("A", 50, 5, windows, func(int) float64 { return 1 }))
			right := write(b, dir, fabricated("B", 50, 5, windows, some))
			var busy time.Duration
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), program)
				cmd.Args = []string{"benchctl", "compare", left, right}
				out, err := cmd.Output()
				require.NoError(b, err)
				busy += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
				require.Contains(b, string(out), "result   50 cases: 5 worse, ")
				if path := os.Getenv("BENCH_COMPARE_OUT"); path != "" {
					require.NoError(b, os.WriteFile(path, out, 0o600))
				}
			}
			b.ReportMetric(busy.Seconds()/float64(b.N), "CPU-s/op")
		})
	}
}

// Colours are for terminals alone, and NO_COLOR disables them there, too.
func TestColoursOfACompareAreForTerminals(t *testing.T) {
	dir := t.TempDir()
	args := []string{"compare", write(t, dir, fabricated("A", 2, 4, 2, func(int) float64 { return 1 })), write(t, dir, fabricated("B", 2, 4, 2, func(int) float64 { return 2 }))}
	for _, tc := range []struct {
		name     string
		env      []string
		terminal bool
		coloured bool
	}{
		{"terminal", nil, true, true},
		{"terminal without colours", []string{"NO_COLOR=1"}, true, false},
		{"pipe", nil, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tty := ttytest.Open(t)
			program, err := os.Executable()
			require.NoError(t, err)
			cmd := exec.CommandContext(t.Context(), program)
			cmd.Args = append([]string{"benchctl"}, args...)
			cmd.Env = append(os.Environ(), append(tc.env, "TERM=xterm-256color")...)
			var pipe bytes.Buffer
			cmd.Stdout, cmd.Stderr = &pipe, tty.File
			if tc.terminal {
				cmd.Stdout = tty.File
			}
			require.NoError(t, cmd.Run())
			text := pipe.String()
			if tc.terminal {
				tty.Shows("Benjamini-Hochberg", 1)
				text = tty.Text()
			}
			require.Contains(t, text, "B is slower: ")
			if tc.coloured {
				require.Contains(t, text, "\x1b[31mworse\x1b[0m")
				require.Contains(t, text, "\x1b[31mB is slower: ")
			} else {
				require.NotContains(t, text, "\x1b")
			}
		})
	}
}
