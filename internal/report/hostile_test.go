//go:build !race

package report_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// hostileTexts are what users, servers and agents may put into names, notes, tags and messages.
func hostileTexts() map[string]string {
	return map[string]string{
		"script":       "<script>alert(1)</script>",
		"end of data":  "</script><script>alert(1)</script>]]>-->",
		"attribute":    `"><img src=x onerror=alert(1)>' onmouseover='`,
		"command":      "=cmd|' /C calc'!A0",
		"plus":         "+1+1",
		"minus":        "-2+3",
		"at":           "@SUM(1;2)",
		"full width":   "＝1+1",
		"blank before": "\t=1+1",
		"link":         "[x](javascript:alert(1)) ![y](http://example.com/z)",
		"markdown":     "| a | b |\n\n# head\n```\n* item\n~~x~~ &lt;b&gt;",
		"template":     "{{.}} ${x} %s %!d(MISSING)",
		"direction":    "a\u202egnp.exe\u2066b\u200fc\u2028d",
		"escapes":      "\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b[2J\u009b2J\x7f",
		"lines":        "a\nb\r\nBenchmarkx 1 1 ns/op\r[READ], Operations, 7",
		"nul":          "a\x00b",
		"long":         strings.Repeat("x", 10_000),
		"long words":   strings.Repeat("xy ", 3_000),
		"Chinese":      strings.Repeat("吞吐量", 3_000),
	}
}

// fixedFields are not from elsewhere: benchd compares them with its own words, or computes with them.
func fixedFields() []string {
	return []string{
		"Status", "Loop", "Kind", "Outcome", "Phase", "Figure.Name", "Figure.Unit", "Column.Name", "Column.Unit", "Phase.Name", "Verdict.Name", "ID", "Run", "Runs", "Resolved",
		"Latency", "Observation.Unit", "Observation.Name", "PlannedCase.Order", "Plan.Order", "Test",
	}
}

// infect puts a text before every text of a value that may come from elsewhere.
func infect(v reflect.Value, name, hostile string) {
	fixed := slices.Contains(fixedFields(), name) || slices.Contains(fixedFields(), name[strings.LastIndex(name, ".")+1:])
	switch v.Kind() {
	case reflect.String:
		if !fixed && v.CanSet() && v.Type() == reflect.TypeFor[string]() && v.String() != "" {
			v.SetString(hostile + v.String())
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fresh := reflect.New(v.Type().Elem())
			fresh.Elem().Set(v.Elem())
			infect(fresh.Elem(), name, hostile)
			v.Set(fresh)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				infect(v.Field(i), v.Type().Name()+"."+v.Type().Field(i).Name, hostile)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 || v.IsNil() {
			return
		}
		fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(fresh, v)
		for i := range fresh.Len() {
			infect(fresh.Index(i), name, hostile)
		}
		v.Set(fresh)
	case reflect.Map:
		if fixed || v.Type().Key().Kind() != reflect.String || v.Type().Elem().Kind() != reflect.String || v.IsNil() {
			return
		}
		fresh := reflect.MakeMap(v.Type())
		for _, k := range v.MapKeys() {
			fresh.SetMapIndex(k, reflect.ValueOf(hostile+v.MapIndex(k).String()))
		}
		v.Set(fresh)
	default:
	}
}

// infected is a suite in which every text is hostile, and its text.
func infected(t *testing.T, hostile string) (result.Suite, []byte) {
	t.Helper()
	s := aSuite()
	s.Name, s.Note, s.Tags = "nightly", "a note", map[string]string{"rack": "7"}
	for i := range s.Runs {
		r := &s.Runs[i]
		r.Note, r.Reason, r.Warnings = "a note", "a reason", []string{"a warning"}
		for k := range r.Phases {
			p := &r.Phases[k]
			p.Combined = []result.Combined{{Name: "READ", Figures: result.Figures{Count: 7, Mean: 1}, Returns: map[string]uint64{"OK": 7}}}
			p.Errors = append(p.Errors, result.ErrorSample{Op: "READ", Outcome: "ERROR", Agent: "a", Message: "java.io.IOException: x"})
		}
	}
	infect(reflect.ValueOf(&s).Elem(), "Suite", hostile)
	text, err := json.Marshal(s)
	require.NoError(t, err)
	return s, text
}

// hostileSource names its operations and agents as a hostile agent would.
type hostileSource struct{ hostile string }

func (s hostileSource) Histograms(_ context.Context, _ string, _ int, take func(report.Interval) error) error {
	h := new(latency.Histogram)
	h.Record(1000)
	return take(report.Interval{
		Phase: "measure", PhaseStart: planned, End: time.Second,
		Series: []latency.Series{{Key: latency.Key{Op: s.hostile, Outcome: s.hostile, PartOf: "x" + s.hostile}, Response: h, Service: h}},
	})
}

func (s hostileSource) Logged(ctx context.Context, run string, take func(latency.LoggedInterval) error) error {
	return logged(ctx, s, run, take)
}

func (s hostileSource) Points(_ context.Context, _ string, take func(report.Point) error) (report.Fetched, error) {
	return report.Fetched{}, take(report.Point{Agent: s.hostile, Phase: "measure", Key: latency.Key{Op: s.hostile, Outcome: "OK", PartOf: s.hostile}})
}

// harmful are the characters that no format but JSON, which escapes them, may have.
func harmful(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200f || r == 0x200e || r == 0x2028 || r == 0x2029
}

func requireHarmless(t *testing.T, name, text string) {
	t.Helper()
	require.True(t, utf8.ValidString(text), "%s is not UTF-8", name)
	if i := strings.IndexFunc(text, harmful); i >= 0 {
		require.Fail(t, "harmful character", "%s: %q", name, text[max(0, i-40):min(len(text), i+40)])
	}
}

// tag matches an element as a browser reads it, with its attributes.
var tag = regexp.MustCompile(`<([a-zA-Z][^\s>/]*)((?:\s+[^\s=>/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*)\s*/?>`)

// requireNoActiveContent checks that no element of a page or picture runs or fetches what a text asks for.
func requireNoActiveContent(t *testing.T, name, page string) {
	t.Helper()
	for _, found := range tag.FindAllStringSubmatch(page, -1) {
		require.NotContains(t, []string{"img", "image", "iframe", "object", "embed", "foreignobject", "frame", "form", "base"}, strings.ToLower(found[1]), "%s: %s", name, found[0])
		for _, a := range regexp.MustCompile(`\s([^\s=>/]+)\s*(?:=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?`).FindAllStringSubmatch(found[2], -1) {
			require.False(t, strings.HasPrefix(strings.ToLower(a[1]), "on"), "%s: %s", name, found[0])
			if attribute := strings.ToLower(a[1]); attribute == "href" || attribute == "src" || attribute == "xlink:href" {
				require.Regexp(t, `^"#`, a[2], "%s: %s", name, found[0])
			}
		}
	}
}

// marker finds a hostile text in what a person sees, whatever blanks and cuts have become of it.
func marker(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	longest := ""
	for _, w := range words {
		if len(w) > len(longest) {
			longest = w
		}
	}
	runes := []rune(longest)
	return string(runes[:min(len(runes), 20)])
}

// A hostile name, note, tag, message, server, agent or operation is text in every format. The test is over the registry, so it has each new
// format, too: by the endings of the names of its files.
func TestHostileTextsAreTextInEveryFormat(t *testing.T) {
	plain, plainText := infected(t, "plain ")
	scripts := strings.Count(only(t, written(t, report.Document{ID: plain.ID, Text: plainText, Suite: &plain}, hostileSource{"plain"}, "html"), ".html"), "<script")
	for name, hostile := range hostileTexts() {
		suite, text := infected(t, hostile)
		for _, format := range report.FormatNames() {
			t.Run(name+"/"+format, func(t *testing.T) {
				d := report.Document{ID: suite.ID, Text: text, Suite: &suite}
				if format == "raw" || format == "hlog" {
					run := result.Run{ID: "S.1", Name: hostile, Resolved: map[string]string{"measurementtype": "raw"}}
					d = report.Document{ID: "S.1", Text: []byte("{}"), Run: run}
				}
				files := written(t, d, hostileSource{hostile}, format)
				requireHarmlessFiles(t, files, hostile, text, scripts)
			})
		}
		t.Run(name+"/comparison", func(t *testing.T) {
			usual := report.Document{ID: "x", Text: []byte("{}"), Comparisons: []compare.Comparison{comparison()}}
			scripts := strings.Count(only(t, written(t, usual, source{}, "html"), ".html"), "<script")
			c := comparison()
			infect(reflect.ValueOf(&c).Elem(), "Comparison", hostile)
			for i := range c.Cases {
				c.Cases[i].Outcome = comparison().Cases[i].Outcome
			}
			text, err := json.Marshal(c)
			require.NoError(t, err)
			for _, format := range report.FormatNames() {
				if report.CheckComparison([]string{format}) != nil {
					continue
				}
				d := report.Document{ID: hostile, Created: planned, Text: text, Comparisons: []compare.Comparison{c}}
				requireHarmlessFiles(t, written(t, d, source{}, format), hostile, text, scripts)
			}
			var page bytes.Buffer
			require.NoError(t, report.ComparisonTable(&page, c, report.Options{}))
			requireHarmless(t, "terminal", page.String())
		})
		t.Run(name+"/terminal", func(t *testing.T) {
			for _, colour := range []bool{false, true} {
				o := report.Options{Colour: colour, Agents: true, Targets: targets()}
				var page bytes.Buffer
				require.NoError(t, report.SuiteTable(&page, suite, o))
				for _, run := range suite.Runs {
					require.NoError(t, report.Table(&page, run, o))
				}
				shown := regexp.MustCompile("\x1b\\[(0|1|2|31|32|33)m").ReplaceAllString(page.String(), "")
				requireHarmless(t, "terminal", shown)
				require.NotContains(t, shown, strings.Repeat("x", 2000))
				require.Contains(t, strings.ReplaceAll(shown, "\n", ""), marker(hostile)[:min(len(marker(hostile)), 6)])
				if colour {
					require.Equal(t, strings.Count(page.String(), "\x1b[0m"), strings.Count(page.String(), "\x1b[")/2, "each style ends")
				}
			}
		})
	}
}

func requireHarmlessFiles(t *testing.T, files map[string]string, hostile string, text []byte, scripts int) {
	t.Helper()
	require.NotEmpty(t, files)
	for name, content := range files {
		require.LessOrEqual(t, len(name), 255)
		require.Regexp(t, `^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}._-]*$`, name)
		switch ext := filepath.Ext(name); ext {
		case ".json":
			if name == "S.ycsb.json" {
				requireHarmless(t, name, content)
				continue
			}
			require.JSONEq(t, string(text), content, "JSON keeps the text")
			require.False(t, strings.ContainsFunc(content, func(r rune) bool { return r < ' ' && r != '\n' }))
		case ".csv":
			requireHarmless(t, name, content)
			requireNoFormula(t, name, content)
		case ".html", ".svg":
			requireHarmless(t, name, content)
			require.NotContains(t, content, strings.Repeat("x", 2000))
			requireNoActiveContent(t, name, content)
			if ext == ".svg" {
				require.NotContains(t, content, "<script")
				continue
			}
			require.Equal(t, scripts, strings.Count(content, "<script"), "as many scripts as with usual texts")
			require.Contains(t, html.UnescapeString(content), marker(hostile))
		case ".xlsx":
			requireHarmlessWorkbook(t, name, content, hostile)
		case ".md":
			requireHarmless(t, name, content)
			outside := regexp.MustCompile("(?s)\n(````*)\\w*\n.*?\n````*\n").ReplaceAllString(content, "\n")
			require.NotContains(t, outside, "<", "no element")
			require.NotRegexp(t, `(^|[^\\])\]\((javascript|http)`, regexp.MustCompile(`\\\[[^\]]*\]`).ReplaceAllString(outside, ""), "no link")
			require.NotContains(t, content, strings.Repeat("x", 2000))
			require.Contains(t, strings.ReplaceAll(content, `\`, ""), marker(hostile))
		default:
			requireHarmless(t, name, content)
		}
		if strings.HasSuffix(name, ".bench.txt") {
			for _, b := range benchmarksOf(t, content) {
				require.NotEqual(t, "x", b.name, "a line of ours")
			}
		}
		if strings.HasSuffix(name, ".ycsb.txt") {
			require.NotContains(t, content, "\n[READ], Operations, 7")
		}
	}
}

func benchmarksOf(t *testing.T, text string) []benchmark {
	t.Helper()
	all, _ := benchmarks(t, text)
	return all
}

// requireNoFormula checks that a spreadsheet takes no cell for a formula.
func requireNoFormula(t *testing.T, name, content string) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(content))
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err, name)
		for _, cell := range row {
			if _, err := strconv.ParseFloat(cell, 64); err == nil || cell == "" {
				continue
			}
			first, _ := utf8.DecodeRuneInString(strings.TrimSpace(cell))
			require.NotContains(t, "=+-@＝＋－＠", string(first), "%s: %.80q", name, cell)
			require.NotContains(t, cell, "\n")
		}
	}
}

func requireHarmlessWorkbook(t *testing.T, name, content, hostile string) {
	t.Helper()
	rows, formulas := workbook(t, content)
	require.Empty(t, formulas, name)
	var all strings.Builder
	for _, row := range rows {
		for _, cell := range row {
			require.Less(t, utf8.RuneCountInString(cell), 32_767, "Excel's limit of a cell")
			requireHarmless(t, name, strings.ReplaceAll(cell, "\r", ""))
			all.WriteString(cell + "\n")
		}
	}
	require.Contains(t, all.String(), marker(hostile))
	z, err := zip.NewReader(strings.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	for _, f := range z.File {
		require.NotContains(t, f.Name, "externalLink")
		if !strings.HasSuffix(f.Name, ".xml") && !strings.HasSuffix(f.Name, ".rels") {
			continue
		}
		part, err := f.Open()
		require.NoError(t, err)
		d := xml.NewDecoder(part)
		for {
			if _, err = d.Token(); err != nil {
				break
			}
		}
		require.ErrorIs(t, err, io.EOF, "%s in %s", f.Name, name)
		require.NoError(t, part.Close())
	}
}

// Numbers are numbers in CSV, also negative ones, and only texts get an apostrophe.
func TestNumbersInCSVStayNumbers(t *testing.T) {
	run := aRun("S.1", "-", 1, 1000, 800)
	run.Phases[0].Series[0].T = -0.5
	run.Phases[0].Series[0].Operations = []result.PointOperation{{Op: "=1+1", Outcome: "OK", Count: 1}}
	var out bytes.Buffer
	require.NoError(t, report.SeriesCSV(&out, run))
	require.Contains(t, out.String(), "S.1,measure,-0.5,1,false,'=1+1,OK,,1,")
}
