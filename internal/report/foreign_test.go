package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/foreign"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// Our own output of YCSB's formats comes back with the same figures.
func TestYCSBsOutputIsReadAgain(t *testing.T) {
	for name, properties := range map[string]map[string]string{
		"text":     {"measurement.interval": "both", "hdrhistogram.percentiles": "50,95,99,99.9"},
		"JSON":     {"measurement.interval": "both", "exporter": "site.ycsb.measurements.exporter.JSONMeasurementsExporter"},
		"array":    {"measurement.interval": "both", "exporter": "site.ycsb.measurements.exporter.JSONArrayMeasurementsExporter"},
		"combined": {"measurementtype": "hdrhistogram+histogram", "hdrhistogram.percentiles": "50,99.9"},
		"raw":      {"measurementtype": "raw"},
	} {
		t.Run(name, func(t *testing.T) {
			y := ycsb(t, properties)
			run := build(t, result.Run{}, y, load(), mixed())
			var out bytes.Buffer
			require.NoError(t, y.Write(&out, run))
			again, err := foreign.Read([]foreign.File{{Name: "out", Content: out.Bytes()}}, foreign.Stated{})
			require.NoError(t, err)
			require.Equal(t, "benchd", again.Provenance.Foreign.Program)
			require.Len(t, again.Phases, 2)
			for i, p := range again.Phases {
				require.Equal(t, run.Phases[i].Name, p.Name)
				require.Equal(t, result.UnknownLoop, p.Loop, "the text does not have it")
				require.Equal(t, run.Phases[i].Ops, p.Ops)
				require.InDelta(t, run.Phases[i].Seconds, p.Seconds, 0.001)
				require.Len(t, p.Combined, len(run.Phases[i].Combined))
				for j, c := range run.Phases[i].Combined {
					require.Equal(t, c.Name, p.Combined[j].Name)
					requireRead(t, c.Service, p.Combined[j].Service, y.Percentiles)
				}
			}
		})
	}
}

// requireRead compares figures with those that were read from whole microseconds.
func requireRead(t *testing.T, want, got result.Figures, percentiles []float64) {
	t.Helper()
	require.Equal(t, want.Count, got.Count)
	require.InDelta(t, want.Mean, got.Mean, 1e-9)
	require.InDelta(t, want.Min, got.Min, 1)
	require.InDelta(t, want.Max, got.Max, 1)
	for _, p := range percentiles {
		us, _ := want.Percentile(p)
		read, _ := got.Percentile(p)
		require.Equal(t, us == nil, read == nil, "p%g", p)
		if us != nil {
			require.InDelta(t, *us, *read, 1)
		}
	}
}

func TestLogsAreReadAgain(t *testing.T) {
	dir := t.TempDir()
	files := report.NewFiles(false)
	logs := report.NewLogs(files, dir, "20260301-k7mp.1")
	addAll(t, logs)
	require.NoError(t, files.Commit())
	files.Discard()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var all []foreign.File
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		all = append(all, foreign.File{Name: e.Name(), Content: content})
	}
	run, err := foreign.Read(all, foreign.Stated{Loop: "open"})
	require.NoError(t, err)
	require.Equal(t, "benchd both", run.Provenance.Foreign.Program+" "+run.Provenance.Foreign.Latency)
	require.Len(t, run.Phases, 3)
	p := run.Phases[2]
	require.Equal(t, "measure open", p.Name+" "+p.Loop)
	require.InDelta(t, 4, p.Seconds, 1e-9)
	require.EqualValues(t, 4040, p.Ops, "neither READ within READ-MODIFY-WRITE nor CLEANUP")
	names := make(map[string]result.Operation)
	for _, o := range p.Operations {
		name := o.Op + " " + o.Outcome
		if o.PartOf != nil {
			name += " of " + *o.PartOf
		}
		names[name] = o
	}
	require.Len(t, names, 4)
	require.Contains(t, names, "READ NOT_FOUND")
	require.Contains(t, names, "CLEANUP OK of CLEANUP")
	require.EqualValues(t, 2000, names["READ OK of READ-MODIFY-WRITE"].Count)
	read := names["READ OK"]
	require.EqualValues(t, 4000, read.Count)
	require.InEpsilon(t, 600, *read.P50, 0.002)
	require.InEpsilon(t, 300, *read.Service.P50, 0.002)
	require.InEpsilon(t, 600, read.Mean, 0.002)
	require.InEpsilon(t, 400, read.Min, 0.001)
	require.Nil(t, read.P999, "law 6")
}

// A report of files that are in no archive names no importer, no date and no seed.
func TestTheProvenanceOfForeignFiles(t *testing.T) {
	run := result.Run{ID: "ycsb", Name: "ycsb", Status: result.Complete, Provenance: result.Provenance{Foreign: &result.Foreign{Program: "YCSB"}}}
	text := markdown(t, report.RunBook(run, targets()))
	require.Contains(t, text, "# ycsb\n")
	require.Contains(t, text, "- foreign: measured by YCSB\n")
	require.NotContains(t, text, "imported by")
	require.NotContains(t, text, "seeds")
	run.Provenance.SubmittedBy, run.Provenance.Created = "alice", planned
	require.Contains(t, markdown(t, report.RunBook(run, targets())), "- foreign: measured by YCSB, imported by alice at 2026-11-21 12:00:00.250 UTC\n")
}
