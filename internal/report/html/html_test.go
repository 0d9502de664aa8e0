package html_test

import (
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/html"
)

var pages = flag.String("pages", "", "write the pages of the tests into this folder, to look at them")

func write(t *testing.T, name string, b book.Book, o html.Options) string {
	t.Helper()
	var page strings.Builder
	require.NoError(t, html.Write(&page, b, o))
	if *pages != "" {
		require.NoError(t, os.WriteFile(filepath.Join(*pages, name+".html"), []byte(page.String()), 0o600))
	}
	return page.String()
}

// A page says first what was asked, whether its figures can be relied upon, and the answer.
func TestThePageBeginsWithTheAnswer(t *testing.T) {
	b := suite()
	page := write(t, "suite", b, html.Options{})
	at := 0
	for _, part := range []string{
		"<h1>" + b.Title, b.Question, `<span class="badge good">` + b.Status, "<li>" + "Reads rise to about 500 threads", "never publish its speed",
		`<a href="#c1">Read</a>`, `<section class="chapter" id="c1"`, "<h3", "<svg", "<table>", `<section class="chapter" id="c5"`, `<details class="chapter" id="c3">`, "<pre",
	} {
		next := strings.Index(page[at:], part)
		require.GreaterOrEqual(t, next, 0, "%s, in its place", part)
		at += next
	}
	require.Contains(t, page, `<td class="figure published">26,000</td>`)
	require.Contains(t, page, "Hatched columns are published figures")
	require.NotContains(t, page, `<details class="chapter" id="c3" open`)
}

// Nothing is fetched: the policy forbids it, allows the page's own script and style by their hashes, and nothing names another place.
func TestThePageNeedsNothingElse(t *testing.T) {
	page := write(t, "run", run(300, 8), html.Options{})
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1]
	policy = strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(policy)
	require.Contains(t, policy, "default-src 'none'")
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	require.Contains(t, policy, "style-src "+hash(regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(page)[1]))
	scripts := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(page, -1)
	require.Len(t, scripts, 1)
	require.Contains(t, policy, "script-src "+hash(scripts[0][1]))
	for _, reference := range []string{" src=", "<link", "@import", "url(", " style=", "<iframe", " onclick="} {
		require.NotContains(t, strings.Replace(page, scripts[0][1], "", 1), reference)
	}
	for _, link := range regexp.MustCompile(` href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		require.True(t, strings.HasPrefix(link[1], "#"), link[1])
		require.Contains(t, page, ` id="`+link[1][1:]+`"`)
	}
}

// The page of two hours with five operations, six agents and forty series of telemetry can be mailed.
func TestAPageOfTwoHoursIsBelowFiveMegabytes(t *testing.T) {
	page := write(t, "hours", run(7200, 40), html.Options{})
	require.Less(t, len(page), 5<<20)
	require.Greater(t, len(page), 51*7200*4, "it has all points")
}

// hostile are names that somebody could give to a suite, a server or an agent.
func hostile() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</script><script>alert(2)</script>`, `<!--`, `</style>`, `]]>`, `{{.}}`, `javascript:alert(3)`,
		"right\u202eto left", "\u2066isolate", "null\x00bell\x07", "bad\xffutf8", strings.Repeat("endless", 1500), "'; alert(4); '",
	}
}

// Names are text everywhere: they begin no element and no script, and long ones are cut.
func TestHostileNamesAreText(t *testing.T) {
	for i, name := range hostile() {
		b := suite()
		r := run(30, 4)
		b.Chapters = append(b.Chapters, r.Chapters...)
		b.ID, b.Title, b.Question, b.Status = name, name, name, name
		b.Answer, b.Lead = []string{name}, []string{name, "- " + name}
		for i := range b.Chapters {
			c := &b.Chapters[i]
			c.Title, c.Text, c.Files = name, []string{name, "- " + name}, []book.File{{Name: name, Text: name}}
			for k := range c.Charts {
				chart := &c.Charts[k]
				chart.Title, chart.How, chart.Group = name, name, name
				chart.X.Title, chart.X.Unit = name, name
				for s := range chart.Series {
					chart.Series[s].Name = name
				}
				for s := range chart.X.Categories {
					chart.X.Categories[s] = name
				}
				for s := range chart.Y {
					chart.Y[s].Title, chart.Y[s].Unit = name, name
				}
				for s := range chart.Marks {
					chart.Marks[s].Label, chart.Marks[s].Text = name, name
				}
				for s := range chart.Limits {
					chart.Limits[s].Label = name
				}
			}
			for k := range c.Tables {
				table := &c.Tables[k]
				table.Title, table.How, table.Notes = name, name, []string{name}
				for s := range table.Columns {
					table.Columns[s].Head = name
				}
				for s := range table.Rows {
					table.Rows[s][0].Text = name
				}
			}
		}
		page := write(t, fmt.Sprintf("hostile%d", i), b, html.Options{})
		require.Equal(t, 1, strings.Count(page, "<script>"), name)
		require.Equal(t, strings.Count(page, "<script"), strings.Count(page, "</script"), name)
		require.NotContains(t, page, "<img", name)
		require.Equal(t, 1, strings.Count(page, "</style"), name)
		require.Less(t, len(page), 3<<20, "names are cut where they are repeated")
	}
}

// A chapter with many charts over time has small ones, two in a row, behind the first.
func TestTelemetryIsShownInSmallCharts(t *testing.T) {
	require.NotContains(t, write(t, "few", run(30, 16), html.Options{}), `class="chart small"`)
	page := write(t, "many", run(30, 40), html.Options{})
	require.Equal(t, 6, strings.Count(page, `class="chart small"`), "of ten")
}

// Every text that the page adds is passed to the translation.
func TestTextsOfThePageAreTranslated(t *testing.T) {
	asked := make(map[string]bool)
	page := write(t, "zh", run(30, 4), html.Options{Lang: "zh-CN", Text: func(text string) string {
		asked[text] = true
		return "译：" + text
	}})
	require.Contains(t, page, `<html lang="zh-CN">`)
	for text := range asked {
		require.Contains(t, html.Texts(), text)
	}
	write(t, "suite", suite(), html.Options{Text: func(text string) string {
		asked[text] = true
		return text
	}})
	for _, text := range html.Texts() {
		require.Contains(t, asked, text)
	}
}
