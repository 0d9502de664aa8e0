//go:build workbook

package workbook

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/xlsx"
)

// workbook is what testdata/read.py prints of a workbook.
type workbook struct {
	Title  string
	Sheets []sheet
	Audit  []string
}

type sheet struct {
	Name, Freeze, Repeated, Filter string
	Landscape                      bool
	Scales                         int
	Numbers                        map[string]float64
	Texts                          map[string]string
	Formulas                       []string
	Charts                         []chart
}

type chart struct {
	Title  string
	Kinds  []string
	Axes   []string
	Log    int
	Series []struct {
		X, Y, Whiskers string
		Lines          bool
	}
}

func (w workbook) sheet(t *testing.T, name string) sheet {
	t.Helper()
	for _, s := range w.Sheets {
		if s.Name == name {
			return s
		}
	}
	require.Fail(t, "no sheet", name)
	return sheet{}
}

// Workbooks keep every chart and every number when LibreOffice writes them again, openpyxl reads them as they were meant, and a
// validator of Office's schemas finds nothing that Excel repairs.
func TestWorkbooksAreReadByOthers(t *testing.T) {
	dir := t.TempDir()
	books := map[string]book.Book{"suite": suite(), "run": run(), "zh": chinese()}
	var paths, again []string
	for name, b := range books {
		var out bytes.Buffer
		require.NoError(t, xlsx.Write(&out, b, xlsx.Options{Lang: map[bool]string{true: "zh"}[name == "zh"]}))
		path := filepath.Join(dir, name+".xlsx")
		require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
		paths, again = append(paths, path), append(again, filepath.Join(dir, "again", name+".xlsx"))
	}
	office(t, dir, "xlsx", "again", paths...)
	office(t, dir, "pdf", "pdf", paths...)
	original, converted := read(t, "audit", paths), read(t, "cells", again)
	for i, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".xlsx")
		t.Run(name, func(t *testing.T) {
			w := original[path]
			require.Equal(t, books[name].Title, w.Title)
			w.requireSound(t)
			w.requireSame(t, converted[again[i]])
			require.Empty(t, objections(w.Audit))
			text, err := exec.CommandContext(t.Context(), "pdftotext", "-layout", filepath.Join(dir, "pdf", name+".pdf"), "-").Output()
			require.NoError(t, err)
			require.Contains(t, string(text), books[name].Title)
		})
	}
	t.Run("suite has its figures and charts", func(t *testing.T) { requireSuite(t, original[filepath.Join(dir, "suite.xlsx")]) })
	t.Run("run has its figures and charts", func(t *testing.T) { requireRun(t, original[filepath.Join(dir, "run.xlsx")]) })
}

// office converts files with LibreOffice into a folder below dir.
func office(t *testing.T, dir, format, into string, paths ...string) {
	t.Helper()
	args := append([]string{"-env:UserInstallation=file://" + filepath.Join(dir, "profile"), "--headless", "--convert-to", format, "--outdir", filepath.Join(dir, into)}, paths...)
	out, err := exec.CommandContext(t.Context(), "soffice", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, path := range paths {
		require.FileExists(t, filepath.Join(dir, into, strings.TrimSuffix(filepath.Base(path), ".xlsx")+"."+format), "%s", out)
	}
}

// read reads workbooks with openpyxl.
func read(t *testing.T, mode string, paths []string) map[string]workbook {
	t.Helper()
	python := os.Getenv("BENCHD_TEST_PYTHON")
	require.NotEmpty(t, python, "run make test-workbook, which installs what this test needs")
	command := exec.CommandContext(t.Context(), python, append([]string{"testdata/read.py", mode}, paths...)...)
	var failure bytes.Buffer
	command.Stderr = &failure
	out, err := command.Output()
	require.NoError(t, err, failure.String())
	var books map[string]workbook
	require.NoError(t, json.Unmarshal(out, &books))
	return books
}

// objections are the findings of the validator but for two that Excel does not have: it reads the properties of a font in any order, which
// excelize writes in its own, and texts within cells.
func objections(findings []string) []string {
	var out []string
	for _, f := range findings {
		font := strings.HasPrefix(f, "/xl/styles.xml /styleSheet[1]/fonts[1]/font[") && strings.Contains(f, "Unexpected element")
		if !font && !strings.Contains(f, "inline-string cell(s)") {
			out = append(out, f)
		}
	}
	return out
}

// requireSound checks what holds for every workbook.
func (w workbook) requireSound(t *testing.T) {
	t.Helper()
	require.NotEmpty(t, w.Sheets)
	seen := make(map[string]bool)
	for _, s := range w.Sheets {
		require.False(t, seen[strings.ToLower(s.Name)], "two sheets %q", s.Name)
		seen[strings.ToLower(s.Name)] = true
		require.Empty(t, s.Formulas, s.Name)
		require.NotEmpty(t, s.Freeze, s.Name)
		require.True(t, s.Landscape, s.Name)
		require.NotEmpty(t, s.Repeated, s.Name)
		for _, c := range s.Charts {
			require.NotEmpty(t, c.Title)
			require.NotEmpty(t, c.Series, c.Title)
			for _, one := range c.Series {
				require.NotZero(t, w.filled(t, one.X), "%s: x values in %s", c.Title, one.X)
				require.NotZero(t, w.filled(t, one.Y), "%s: y values in %s", c.Title, one.Y)
				if one.Whiskers != "" {
					w.filled(t, one.Whiskers)
				}
			}
		}
	}
}

// filled is how many cells of a range have a value. Values of series are numbers, and categories are texts.
func (w workbook) filled(t *testing.T, ref string) int {
	t.Helper()
	parts := regexp.MustCompile(`^(?:'((?:[^']|'')+)'|([^'!]+))!\$([A-Z]+)\$(\d+):\$([A-Z]+)\$(\d+)$`).FindStringSubmatch(ref)
	require.NotNil(t, parts, "range %q", ref)
	s := w.sheet(t, strings.ReplaceAll(parts[1], "''", "'")+parts[2])
	require.Equal(t, parts[3], parts[5], ref)
	from, err := strconv.Atoi(parts[4])
	require.NoError(t, err)
	to, err := strconv.Atoi(parts[6])
	require.NoError(t, err)
	numbers, texts := 0, 0
	for row := from; row <= to; row++ {
		at := parts[3] + strconv.Itoa(row)
		if _, ok := s.Numbers[at]; ok {
			numbers++
		}
		if _, ok := s.Texts[at]; ok {
			texts++
		}
	}
	require.True(t, numbers == 0 || texts == 0, "%s has numbers and texts", ref)
	return numbers + texts
}

// requireSame checks that another program's copy has every cell and every chart.
func (w workbook) requireSame(t *testing.T, copied workbook) {
	t.Helper()
	require.Len(t, copied.Sheets, len(w.Sheets))
	for i, s := range w.Sheets {
		c := copied.Sheets[i]
		require.Equal(t, s.Name, c.Name)
		require.Equal(t, strings.ReplaceAll(s.Filter, "$", ""), strings.ReplaceAll(c.Filter, "$", ""), s.Name)
		require.Equal(t, s.Scales, c.Scales, s.Name)
		require.Empty(t, c.Formulas, s.Name)
		require.Equal(t, s.Texts, c.Texts, s.Name)
		require.Len(t, c.Numbers, len(s.Numbers), s.Name)
		for at, x := range s.Numbers {
			require.InEpsilon(t, 1+x, 1+c.Numbers[at], 1e-9, "%s %s", s.Name, at)
		}
		require.Len(t, c.Charts, len(s.Charts), s.Name)
		for k, one := range s.Charts {
			require.Equal(t, one.Title, c.Charts[k].Title)
			require.Equal(t, one.Log, c.Charts[k].Log, one.Title)
			require.ElementsMatch(t, one.ranges(), c.Charts[k].ranges(), one.Title)
		}
	}
}

// ranges are the ranges of the series, without quotes.
func (c chart) ranges() []string {
	var out []string
	for _, s := range c.Series {
		out = append(out, strings.ReplaceAll(s.X+" "+s.Y+" "+s.Whiskers, "'", ""))
	}
	return out
}

// requireSuite checks the figures of the suite.
func requireSuite(t *testing.T, w workbook) {
	t.Helper()
	insert := w.sheet(t, "insert")
	require.Len(t, insert.Charts, 2)
	sweep := insert.Charts[0]
	require.Equal(t, []string{"ScatterChart", "ScatterChart"}, sweep.Kinds, "two y axes")
	require.Subset(t, sweep.Axes, []string{"Threads", "Throughput (ops/s)", "Mean response time (µs)"})
	require.Equal(t, 3, sweep.Log, "the x axis of both, and the right y axis")
	require.Len(t, sweep.Series, 7, "throughput, its runs, fitted, published, response time, limit, answer")
	require.NotEmpty(t, sweep.Series[0].Whiskers)
	for want, c := range map[float64]string{70_450: "throughput", 7097.23: "response time in µs"} {
		require.True(t, slices.ContainsFunc(values(insert), func(x float64) bool { return x > want-1 && x < want+1 }), c)
	}
	summary := w.sheet(t, "Summary")
	require.Len(t, summary.Charts, 2)
	require.Equal(t, []string{"BarChart"}, summary.Charts[0].Kinds)
	require.Equal(t, []string{"BarChart", "LineChart"}, summary.Charts[1].Kinds, "bars and their runs")
	require.Contains(t, w.sheet(t, "Files").Texts, "A7")
	require.Equal(t, `- name: \u001b[31mred`, w.sheet(t, "Files").Texts["A8"])
}

func values(s sheet) []float64 {
	var out []float64
	for _, x := range s.Numbers {
		out = append(out, x)
	}
	return out
}

// requireRun checks the figures of the run.
func requireRun(t *testing.T, w workbook) {
	t.Helper()
	data := w.sheet(t, "Data operations")
	require.Len(t, data.Numbers, 600*4-1, "every interval but one without a throughput")
	require.Equal(t, "$A$3:$E$603", data.Filter)
	require.Equal(t, "C4", data.Freeze)
	last, err := excelize.CoordinatesToCellName(2, 603)
	require.NoError(t, err)
	require.InDelta(t, 599, data.Numbers[last], 0)
	require.Equal(t, 1, w.sheet(t, "Heat maps").Scales)
	over := w.sheet(t, "Summary").Charts[0]
	require.True(t, strings.HasPrefix(over.Series[0].Y, "'Data operations'!"), "%s: the column is not copied", over.Series[0].Y)
	require.Len(t, over.Series, 5, "throughput, and four kinds of marks")
}
