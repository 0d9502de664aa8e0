package report_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// The documented table of formats is that of the code.
func TestFormatsAreDocumented(t *testing.T) {
	table := doctable.Table{Head: []string{"Format", "File", "Contents"}}
	for _, f := range report.Formats() {
		name := "`" + f.Name + "`"
		for _, file := range f.Files {
			table.Rows = append(table.Rows, []string{name, "`" + file.Name + "`", file.Contents})
			name = ""
		}
	}
	doctable.Generated(t, "docs/reports.md", "formats", table, *update)
	require.Contains(t, doctable.Read(t, "docs/reports.md"), "--format "+strings.Join(report.FormatNames(), ","), "the command line names all formats")
}

// source has a window and an operation of each run.
type source struct{}

func (source) Histograms(_ context.Context, _ string, _ int, take func(report.Interval) error) error {
	h := new(latency.Histogram)
	h.Record(1000)
	return take(report.Interval{Phase: "measure", PhaseStart: time.Unix(1, 0), End: time.Second, Series: []latency.Series{{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: h, Service: h}}})
}

func (s source) Logged(ctx context.Context, run string, take func(latency.LoggedInterval) error) error {
	return logged(ctx, s, run, take)
}

// logged encodes the histograms of a source as a coordinator does.
func logged(ctx context.Context, from report.Source, run string, take func(latency.LoggedInterval) error) error {
	var encode latency.LogEncoder
	return from.Histograms(ctx, run, 0, func(iv report.Interval) error {
		out, err := iv.Logged(&encode)
		if err != nil {
			return err
		}
		return take(out)
	})
}

func (source) Points(_ context.Context, _ string, take func(report.Point) error) (report.Fetched, error) {
	return report.Fetched{Lost: 2}, take(report.Point{Agent: "a", Phase: "measure", Key: latency.Key{Op: "READ", Outcome: "OK"}})
}

// Each format writes the files that its entry in the table names, and no others.
func TestFormatsWriteTheFilesThatTheyName(t *testing.T) {
	run := result.Run{
		ID: "S.1", Kind: "run", Status: result.Complete, Reconcile: result.Reconcile{OK: true}, Resolved: map[string]string{"measurementtype": "raw"},
		Provenance: result.Provenance{Created: planned}, Phases: []result.Phase{{Name: "measure"}},
	}
	suite := result.Suite{ID: "S", Kind: "suite", Name: "a demo", Runs: []result.Run{run}}
	for _, f := range report.Formats() {
		dir := t.TempDir()
		files := report.NewFiles(false)
		t.Cleanup(files.Discard)
		var warnings []string
		w := report.Writer{Files: files, Dir: dir, Source: source{}, Warn: func(text string) { warnings = append(warnings, text) }}
		require.NoError(t, w.Write(t.Context(), report.Document{ID: "S", Text: []byte("{}"), Suite: &suite}, []string{f.Name}))
		require.NoError(t, files.Commit())
		var want, got []string
		for _, file := range f.Files {
			if strings.HasSuffix(file.Name, ".svg") {
				continue // TestMarkdownHasItsChartsAsPictures; this suite has no figures that a chart could show
			}
			want = append(want, strings.NewReplacer("ID", "S", "NAME-TIME", "a-demo-20261121-120000", "PHASE", "measure", "OPERATION", "READ").Replace(file.Name))
		}
		for _, path := range files.Paths() {
			got = append(got, strings.Replace(filepath.Base(path), "S.1", "S", 1))
		}
		require.ElementsMatch(t, want, got, f.Name)
		if f.Name == "raw" {
			require.Len(t, warnings, 1)
		}
	}
}

func TestFormatsAreReadFromAList(t *testing.T) {
	names, err := report.ParseFormats("csv, md,csv")
	require.NoError(t, err)
	require.Equal(t, []string{"csv", "md"}, names)
	_, err = report.ParseFormats("md,pdf")
	require.EqualError(t, err, `unknown format "pdf": want `+strings.Join(report.FormatNames(), ", "))
	require.Subset(t, report.FormatNames(), []string{"md", "json", "csv", "ycsb", "hlog", "benchfmt", "raw"})
}

func TestRawPointsOfARunWithoutThemAreAnError(t *testing.T) {
	w := report.Writer{Files: report.NewFiles(false), Dir: t.TempDir(), Source: source{}}
	err := w.Write(t.Context(), report.Document{ID: "S.1", Run: result.Run{ID: "S.1"}}, []string{"raw"})
	var noPoints *report.NoPointsError
	require.ErrorAs(t, err, &noPoints)
	require.EqualError(t, err, "run S.1 has no raw points: submit with -p measurementtype=raw or hdrhistogram+raw")
}
