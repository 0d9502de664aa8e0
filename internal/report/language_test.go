package report_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/phrase"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/report/html"
	"github.com/benchd/benchd/internal/report/xlsx"
	"github.com/benchd/benchd/internal/result"
)

// chinese is the translator.
func chinese(t *testing.T) func(string) string {
	t.Helper()
	zh, err := phrase.For("zh")
	require.NoError(t, err)
	return zh.Text
}

// collector keeps the texts that a page or a book has translated.
type collector struct{ texts []string }

func (c *collector) text(english string) string {
	if !slices.Contains(c.texts, english) {
		c.texts = append(c.texts, english)
	}
	return english
}

// comparisons are comparisons of all kinds.
func comparisons() []compare.Comparison {
	several := comparison()
	for i := range 12 {
		several.Differences = append(several.Differences, compare.Difference{What: fmt.Sprintf("setting s%d", i), A: "a1", B: "b1"})
		several.Cases = append(several.Cases, several.Cases[0], compare.Case{Name: "c1", Outcome: compare.IsSame, Sentence: "no difference shown of READ p50"})
	}
	differ := comparison()
	differ.Differences = append(termsDiffer(), differ.Differences...)
	return []compare.Comparison{comparison(), several, differ, {A: "a1", B: "b1", Method: compare.Method}}
}

// reportTexts are the texts of reports of all kinds of runs and suites, in all formats for people.
func reportTexts(t *testing.T) []string {
	t.Helper()
	c := &collector{}
	runs := []result.Run{largeRun()}
	for _, shown := range terminals(t) {
		runs = append(runs, shown.run)
	}
	suites := []result.Suite{aSuite(), searchedSuite(t), differentTerms(), sideBySide(5), besideSuite(t), {ID: "S", Status: result.Running, Runs: runs}}
	for _, s := range suites {
		runs = append(runs, s.Runs...)
		require.NoError(t, report.SuiteTable(new(bytes.Buffer), s, report.Options{Targets: targets(), Text: c.text}))
		report.SuiteBook(s, targets()).Map(c.text)
	}
	for _, run := range runs {
		require.NoError(t, report.Table(new(bytes.Buffer), run, report.Options{Targets: targets(), Agents: true, Text: c.text}))
		report.RunBook(run, targets()).Map(c.text)
	}
	for _, one := range comparisons() {
		require.NoError(t, report.ComparisonTable(new(bytes.Buffer), one, report.Options{Text: c.text}))
		report.ComparisonBook("x", planned, []compare.Comparison{one}).Map(c.text)
	}
	return slices.Concat(c.texts, html.Texts(), xlsx.Texts())
}

// ofFixtures are words of the fixtures that come from users and servers.
const ofFixtures = "demo first try Reads by threads Prodded prodded alice devel gone limit capacity usertable connection version workload host-a north south only ssd hdd against products open beside reads scans groups interference"

// ofFixtureSentences are in sentences of the fixtures that no code writes.
func ofFixtureSentences() []string {
	return []string{"less than 20 % idle CPU", "agent a: 4 % idle CPU", "limit: TIMEOUT share", "agent b was lost", "a region was split", "of a <test>", "no* row", "of another binding"}
}

// A reader of Chinese finds no English word in a report, apart from names.
func TestNoEnglishIsLeftOver(t *testing.T) {
	names := allowed(t)
	text := chinese(t)
	for _, english := range reportTexts(t) {
		if slices.ContainsFunc(ofFixtureSentences(), func(s string) bool { return strings.Contains(english, s) }) {
			continue
		}
		got := text(english)
		assert.Empty(t, leftOver(got, names), "in %q, of %q", got, english)
	}
}

// Every figure and name of a text is in its translation.
func TestTranslationsKeepFigures(t *testing.T) {
	text := chinese(t)
	figures := regexp.MustCompile(`[0-9][0-9.,]*[0-9]|[0-9]`)
	for _, english := range reportTexts(t) {
		want, got := figures.FindAllString(english, -1), figures.FindAllString(text(english), -1)
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, got, "%q became %q", english, text(english))
	}
}

// allowed are the words that stay English.
func allowed(t *testing.T) map[string]bool {
	t.Helper()
	file, err := os.ReadFile("../phrase/zh/names.txt")
	require.NoError(t, err)
	out := make(map[string]bool)
	for word := range strings.FieldsSeq(string(file) + " " + ofFixtures) {
		out[word] = true
	}
	return out
}

// leftOver are the English words of a text: those of two lower-case letters or more, after a capital or not.
func leftOver(text string, names map[string]bool) []string {
	var out []string
	for _, token := range regexp.MustCompile(`[A-Za-z0-9_.:/@=%µ'+-]+`).FindAllString(text, -1) {
		token = strings.Trim(token, ".:'")
		if regexp.MustCompile(`^[A-Za-z]?[a-z]+(-[a-z]+)*$`).MatchString(token) && len(token) > 1 && !names[token] {
			out = append(out, token)
		}
	}
	return out
}

// The columns of a Chinese table are below each other, and its lines fit, although its characters are wide.
func TestAChinesePageIsAligned(t *testing.T) {
	run := terminals(t)["open"].run
	page := printed(t, run, report.Options{Text: chinese(t), Width: 90})
	golden(t, "table-open.zh.txt", page)
}

// The Markdown of a suite in Chinese.
func TestASuitesReportInChinese(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.Markdown(&out, report.SuiteBook(aSuite(), targets()).Map(chinese(t))))
	golden(t, "suite.zh.md", out.String())
}
