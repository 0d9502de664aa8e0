package report

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// Format is a format in which results are written to files.
type Format struct {
	Name  string
	Files []FormatFile

	// At most one of these writes the files of a whole suite, run or comparison, and book is for those that people read.
	document func(*Writer, Document) error
	book     func(*Writer, Document, book.Book) error
	compares bool                                             // document can write a comparison; book always can
	run      func(*Writer, context.Context, result.Run) error // writes the files of one run; may be nil
}

// FormatFile is a file of a Format. ID in its name is the id of the suite or run. NAME-TIME is Document.BaseName.
type FormatFile struct {
	Name     string
	Contents string // in the lines of the help
}

// Formats are all formats.
func Formats() []Format {
	return []Format{
		{
			Name: "md", book: (*Writer).markdown,
			Files: []FormatFile{
				{"NAME-TIME.md", "for people: a suite's tables with measured and published figures, its cases over their\n" +
					"repeats, actions and events with their cost, verdicts, provenance"},
				{"NAME-TIME-NN-TITLE.svg", "a picture of each chart in NAME-TIME.md"},
			},
		},
		{
			Name: "html", book: (*Writer).html,
			Files: []FormatFile{{"NAME-TIME.html", "for people: the same as one page for a browser, with charts to zoom into; it needs no network"}},
		},
		{
			Name: "xlsx", book: (*Writer).workbook,
			Files: []FormatFile{{"NAME-TIME.xlsx", "an Excel workbook for people who calculate further: a summary, a sheet for each scenario, native\n" +
				"charts, every interval"}},
		},
		{
			Name: "json", document: (*Writer).json, compares: true,
			Files: []FormatFile{{"ID.json", `the complete result, as "show -o json" prints it`}},
		},
		{
			Name: "csv", document: (*Writer).suiteCSV, run: (*Writer).runCSV,
			Files: []FormatFile{
				{"ID-operations.csv", "a line for each operation of each phase"},
				{"ID-series.csv", "a line for each operation of each interval"},
				{"ID-incidents.csv", "a line for each action or event with its cost"},
				{"ID-cases.csv", "of a suite: a line for each figure of each case over its repeats"},
				{"ID-tables.csv", "of a suite: a line for each cell of its tables"},
				{"ID-capacity.csv", "of a suite: a line for each probe of its searches"},
			},
		},
		{
			Name: "ycsb", run: (*Writer).ycsb,
			Files: []FormatFile{{"ID.ycsb.txt", "as YCSB prints it, or .json with its other exporters"}},
		},
		{
			Name: "hlog", run: (*Writer).histogramLogs,
			Files: []FormatFile{{"ID-PHASE-OPERATION.hlog", "HdrHistogram logs in nanoseconds: a line of response times for each interval, and\n" +
				`one of service times, tagged "service"`}},
		},
		{
			Name: "benchfmt", document: (*Writer).benchmarks, compares: true,
			Files: []FormatFile{{"ID.bench.txt", "Go's benchmark format, for benchstat: a line for each phase and operation of each run"}},
		},
		{
			Name: "junit", document: (*Writer).junit, compares: true,
			Files: []FormatFile{{"ID.junit.xml", "for CI servers: a test for the end, the limits and each verdict of each run, or for each compared figure"}},
		},
		{
			Name: "github", document: (*Writer).github, compares: true,
			Files: []FormatFile{
				{"ID.github.md", "the summary of a GitHub job: append it to $GITHUB_STEP_SUMMARY"},
				{"ID.github.txt", "its annotations, an ::error:: for each failure: print it in the job"},
			},
		},
		{
			Name: "raw", run: (*Writer).rawPoints,
			Files: []FormatFile{
				{"ID.raw.txt", "every operation as YCSB writes raw points, of a run that was submitted with\n" +
					"measurementtype=raw and whose agents are connected; they keep them for a week.\n" +
					"Points of agents that were lost during a load are reported as missing"},
				{"ID-raw.csv", "the same with agent, phase and outcome, in nanoseconds"},
			},
		},
	}
}

// FormatNames are the names of all formats.
func FormatNames() []string {
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}

// ParseFormats reads a comma-separated list of names.
func ParseFormats(list string) ([]string, error) {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		switch {
		case !slices.Contains(FormatNames(), name):
			return nil, fmt.Errorf("unknown format %q: want %s", name, strings.Join(FormatNames(), ", "))
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	return names, nil
}

// FormatHelp lists the formats with their files for a command's help text.
func FormatHelp() string {
	var b strings.Builder
	for _, f := range Formats() {
		name := f.Name
		for _, file := range f.Files {
			lines := strings.Split(file.Contents, "\n")
			fmt.Fprintf(&b, "  %-10s%-25s%s\n", name, file.Name, lines[0])
			for _, line := range lines[1:] {
				fmt.Fprintf(&b, "%37s%s\n", "", line)
			}
			name = ""
		}
	}
	return b.String()
}
