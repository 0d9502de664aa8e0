package report_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// A report's files are named by suite, date and time, in UTC, and a run of the suite has a name of its own.
func TestFilesForPeopleAreNamedBySuiteDateAndTime(t *testing.T) {
	at := time.Date(2026, 11, 21, 1, 2, 3, 999, time.FixedZone("CST", 8*3600))
	run := result.Run{ID: "20261120-k7mp.2", Name: "nightly / r1", Provenance: result.Provenance{Created: at}}
	suite := result.Suite{ID: "20261120-k7mp", Name: "nightly / r1", Runs: []result.Run{run}}
	for _, tc := range []struct {
		name     string
		document report.Document
		want     string
	}{
		{"suite", report.Document{ID: "20261120-k7mp", Suite: &suite}, "nightly-r1-20261120-170203"},
		{"run", report.Document{ID: "20261120-k7mp.2", Run: run}, "nightly-r1-20261120-170203-run2"},
		{"suite of one run", report.Document{ID: "20261120-k7mp", Run: run}, "nightly-r1-20261120-170203"},
		{"without a name", report.Document{ID: "20261120-k7mp", Run: result.Run{Provenance: run.Provenance}}, "20261120-k7mp-20261120-170203"},
		{"without a time", report.Document{ID: "S", Suite: &result.Suite{Name: "x"}}, "x"},
		{"nothing that a name may have", report.Document{ID: "///"}, "report"},
		{"comparison", report.Document{ID: "A@hdd-vs-A@ssd", Created: at, Comparisons: make([]compare.Comparison, 1)}, "A-hdd-vs-A-ssd-20261120-170203"},
		{"comparison of runs", report.Document{ID: "A.1-vs-B.2", Comparisons: make([]compare.Comparison, 1)}, "A.1-vs-B.2"},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, tc.document.BaseName()) })
	}
}

// Names of suites come from users: files get those parts of them that all file systems and shells take.
func TestNamesOfSuitesAreSafeInNamesOfFiles(t *testing.T) {
	for name, want := range map[string]string{
		"":                               "",
		"HBase 2.6, 3 servers (SSD)":     "HBase-2.6-3-servers-SSD",
		"批量写入：节点 1–3":                    "批量写入-节点-1-3",
		"Überlauf_é":                     "Überlauf_é",
		"../../etc/passwd":               "etc-passwd",
		`..\..\x`:                        "x",
		".hidden":                        "hidden",
		"-rf":                            "rf",
		"ends with a dot.":               "ends-with-a-dot",
		"NUL":                            "_NUL",
		"con.txt":                        "_con.txt",
		"console":                        "console",
		`a<b>c:d"e/f\g|h?i*j`:            "a-b-c-d-e-f-g-h-i-j",
		"x\x00y\nz\x1b[31m":              "x-y-z-31m",
		"exe\u202egnp.sh":                "exe-gnp.sh",
		"=cmd|' /C calc'!A0":             "cmd-C-calc-A0",
		"bad \xff\xfe bytes":             "bad-bytes",
		"🙂":                              "",
		strings.Repeat("a", 10_000):      strings.Repeat("a", 80),
		strings.Repeat("ab ", 1000):      strings.TrimRight(strings.Repeat("ab-", 27)[:80], "-"),
		strings.Repeat("吞", 10_000):      strings.Repeat("吞", 60),
		strings.Repeat("-", 100) + "end": "end",
	} {
		got := report.SafeName(name)
		require.Equal(t, want, got, "%q", name)
		require.LessOrEqual(t, utf8.RuneCountInString(got), 80)
		require.Equal(t, got, report.SafeName(got), "a safe name stays as it is")
	}
}

// Files of results may have any ID. No name of a file leaves the directory.
func TestIDsOfFilesStayInTheDirectory(t *testing.T) {
	for _, id := range []string{"../../x", "/etc/x", `..\x`, "x\x00y", strings.Repeat("n", 10_000), "..", ""} {
		dir := t.TempDir()
		run := result.Run{ID: id, Status: result.Complete, Reconcile: result.Reconcile{OK: true}, Phases: []result.Phase{{Name: "measure"}}}
		files := report.NewFiles(false)
		w := report.Writer{Files: files, Dir: dir, Source: source{}, Warn: func(string) {}}
		require.NoError(t, w.Write(t.Context(), report.Document{ID: id, Text: []byte("{}"), Run: run}, []string{"md", "json", "csv", "ycsb", "hlog", "benchfmt"}))
		require.NoError(t, files.Commit(), "%q", id)
		files.Discard()
		require.Len(t, contents(t, dir), 8, "%q", id)
	}
}
