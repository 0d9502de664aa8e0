package svg_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/svg"
)

var update = flag.Bool("update", false, "rewrite golden files")

func draw(t testing.TB, c book.Chart, o svg.Options) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, svg.Write(&out, c, o))
	return out.String()
}

// element is an element of a picture with its text.
type element struct {
	name, text string
	attributes map[string]string
}

// parsed reads a picture as a browser would read a file: it must be well-formed.
func parsed(t testing.TB, picture string) []element {
	t.Helper()
	var all []element
	var open []int
	d := xml.NewDecoder(strings.NewReader(picture))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err, "the picture is XML")
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attributes: make(map[string]string)}
			for _, a := range token.Attr {
				require.NotContains(t, e.attributes, a.Name.Local, "an attribute stands twice in %s", e.name)
				e.attributes[a.Name.Local] = a.Value
			}
			open, all = append(open, len(all)), append(all, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(token)
			}
		}
	}
}

// texts are the visible texts of a picture.
func texts(t testing.TB, picture string) []string {
	t.Helper()
	var out []string
	for _, e := range parsed(t, picture) {
		if e.name == "text" {
			out = append(out, strings.TrimSpace(e.text))
		}
	}
	return out
}

func TestPicturesStayAsTheyWereReviewed(t *testing.T) {
	for name, c := range map[string]book.Chart{
		"sweep": sweep(), "percentiles": percentiles(), "products": products(), "cases": cases(), "chinese": chinese(),
	} {
		path := filepath.Join("testdata", name+".svg")
		got := draw(t, c, svg.Options{})
		if *update {
			require.NoError(t, os.MkdirAll("testdata", 0o750))
			require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), got, name)
		require.Equal(t, got, draw(t, c, svg.Options{}), "the same chart has the same bytes")
	}
}

func TestPublishedFiguresAreNamedSo(t *testing.T) {
	for _, c := range []book.Chart{sweep(), products()} {
		shown := texts(t, draw(t, c, svg.Options{}))
		for _, s := range c.Series {
			name := s.Name
			if s.Published {
				name += " (published)"
			}
			require.Contains(t, shown, name)
		}
	}
	c := sweep()
	c.Series[2].Name = "the authors' published figures"
	require.Contains(t, texts(t, draw(t, c, svg.Options{})), "the authors' published figures", "the word does not stand twice")
	translated := draw(t, sweep(), svg.Options{Text: func(s string) string { return strings.Replace(s, "published", "已发布", 1) }})
	require.Contains(t, texts(t, translated), "read only (已发布)")
}

func TestPublishedFiguresHaveTheColourOfTheirMeasuredSeriesAndAreHollow(t *testing.T) {
	c := sweep()
	var measured, published []string
	for _, e := range parsed(t, draw(t, c, svg.Options{})) {
		switch {
		case e.name == "g" && e.attributes["fill"] == "#0072b2":
			measured = append(measured, e.attributes["stroke"])
		case e.name == "g" && e.attributes["stroke"] == "#0072b2":
			published = append(published, e.attributes["fill"])
		}
	}
	require.Equal(t, []string{"#ffffff"}, measured, "markers of measured figures are filled")
	require.Equal(t, []string{"#ffffff"}, published, "markers of published figures are hollow")
}

// An inline picture becomes part of a page with a strict policy: no styles, no scripts, no visible title.
func TestAnInlinePictureTakesItsColoursFromThePage(t *testing.T) {
	for _, c := range all() {
		picture := draw(t, c, svg.Options{Inline: true, ID: "chart 1"})
		require.NotContains(t, picture, "<style")
		require.NotContains(t, picture, "style=")
		require.NotContains(t, picture, "font-family")
		require.NotContains(t, picture, "<?xml")
		require.NotContains(t, texts(t, picture), c.Title)
		require.Contains(t, picture, `aria-labelledby="chart-1-title chart-1-how"`)
		require.Regexp(t, `(fill|stroke)="var\(--chart-[a-z]+,#[0-9a-f]{6}\)"`, picture)
		require.NotRegexp(t, `(fill|stroke)="#`, picture, "every colour is the page's")
		for _, e := range parsed(t, picture) {
			if id := e.attributes["id"]; id != "" {
				require.True(t, strings.HasPrefix(id, "chart-1-"), id)
			}
		}
	}
}

func TestAFileIsReadableOnLightAndDarkPages(t *testing.T) {
	for _, c := range all() {
		picture := draw(t, c, svg.Options{})
		elements := parsed(t, picture)
		require.Equal(t, "svg", elements[0].name)
		require.Equal(t, "img", elements[0].attributes["role"])
		require.Equal(t, "title", elements[1].name)
		require.Equal(t, c.Title, elements[1].text)
		require.Equal(t, "desc", elements[2].name)
		require.Equal(t, c.How, elements[2].text)
		require.Contains(t, picture, "@media (prefers-color-scheme:dark)")
		rules := regexp.MustCompile(`\.([fs]\d+)\{`).FindAllStringSubmatch(picture, -1)
		var dark []string
		for _, r := range rules {
			dark = append(dark, r[1])
		}
		for _, e := range elements {
			for class := range strings.FieldsSeq(e.attributes["class"]) {
				if class != "chart" {
					require.Contains(t, dark, class, "each colour has one for dark pages")
				}
			}
		}
		require.Contains(t, texts(t, picture), c.Title)
	}
}

func all() []book.Chart {
	return []book.Chart{sweep(), percentiles(), products(), cases(), timeline(600, 3), density(), chinese()}
}

func TestTimesAndRatesHaveReadableUnits(t *testing.T) {
	shown := texts(t, draw(t, timeline(7200, 2), svg.Options{}))
	require.Contains(t, shown, "Throughput (k ops/s)")
	require.Contains(t, shown, "p99 (ms) →")
	require.Contains(t, shown, "Time (min)")
	require.Contains(t, shown, "120")
	shown = texts(t, draw(t, percentiles(), svg.Options{}))
	for _, label := range []string{"100 µs", "1 ms", "10 ms", "100 ms", "0", "50", "90", "99", "99.9", "99.99", "100"} {
		require.Contains(t, shown, label)
	}
}

func TestALineOverTimeHasOnlyThePointsThatCanBeSeen(t *testing.T) {
	picture := draw(t, timeline(7200, 10), svg.Options{})
	require.Less(t, len(picture), 160<<10)
	peak := timeline(7200, 1)
	peak.Series[0].Y[5000] = 170_000
	require.Contains(t, texts(t, draw(t, peak, svg.Options{})), "200", "the highest value is there")
}

func TestALineHasAGapWhereAValueIsMissing(t *testing.T) {
	c := book.Chart{Kind: book.Time, Series: []book.Series{{Y: []float64{1, 2, math.NaN(), 4, math.NaN(), 2, 1}}}}
	lines := pathsOf(t, draw(t, c, svg.Options{}), "#0072b2")
	require.Len(t, lines, 2)
	require.Equal(t, 3, strings.Count(lines[0], "M"), lines[0])
	require.Regexp(t, "^M[0-9. ]*h0$", lines[1], "a single value is a point")
}

// pathsOf are the paths with a colour.
func pathsOf(t testing.TB, picture, colour string) []string {
	t.Helper()
	var out []string
	for _, e := range parsed(t, picture) {
		if e.name == "path" && e.attributes["stroke"] == colour {
			out = append(out, e.attributes["d"])
		}
	}
	return out
}

// Authors publish "above 80 000" and "50 000 to 60 000" without a mean.
func TestAnIntervalWithoutAValueIsDrawnAndAnOpenOneEndsInAnArrow(t *testing.T) {
	nan := math.NaN()
	for _, kind := range []book.Kind{book.Lines, book.Bars} {
		for _, categories := range [][]string{{"a", "b"}, {strings.Repeat("long ", 20), strings.Repeat("long ", 20)}} {
			c := book.Chart{Kind: kind, X: book.Axis{Categories: categories}, Series: []book.Series{
				{Name: "authors", Published: true, Style: book.Points, X: []float64{0, 1}, Y: []float64{nan, nan}, Low: []float64{50_000, 80_000}, High: []float64{60_000, nan}},
			}}
			picture := draw(t, c, svg.Options{})
			require.NotContains(t, texts(t, picture), "no data", "%s", kind)
			d := strings.Join(pathsOf(t, picture, "#0072b2"), " ")
			require.Equal(t, 7, strings.Count(d, "M"), "%s: the legend; three lines of the interval; a bound, a line and an arrow of the open one: %s", kind, d)
		}
	}
}

func TestRunsWithoutAMeanAreDrawn(t *testing.T) {
	for _, kind := range []book.Kind{book.Lines, book.Bars} {
		c := book.Chart{Kind: kind, X: book.Axis{Categories: []string{"a"}}, Series: []book.Series{
			{Published: true, Style: book.Points, X: []float64{0}, Y: []float64{math.NaN()}, Runs: [][]float64{{5, 6, 7}}},
		}}
		picture := draw(t, c, svg.Options{})
		require.Equal(t, 3, strings.Count(strings.Join(pathsOf(t, picture, "#0072b2"), " "), "h0"), "%s", kind)
		require.NotContains(t, texts(t, picture), "no data", "%s", kind)
	}
}

// A published point on a measured bar could not be seen.
func TestPublishedPointsAreBesideTheMeasuredBar(t *testing.T) {
	c := book.Chart{Kind: book.Bars, X: book.Axis{Categories: []string{"a"}}, Series: []book.Series{
		{Name: "x", Y: []float64{10}}, {Name: "x, published", Published: true, Style: book.Points, Y: []float64{5}},
	}}
	var at []string
	for _, e := range parsed(t, draw(t, c, svg.Options{})) {
		if e.name == "text" && (e.text == "10" || e.text == "5") && e.attributes["x"] != "" && e.attributes["y"] != "" {
			at = append(at, e.attributes["x"])
		}
	}
	require.Len(t, at, 3, "a tick and two values: %v", at)
	require.NotEqual(t, at[1], at[2])
}

// Charts over the time of a run stand below each other, and their axes are the same.
func TestTheAxisOfTimeReachesOverMissingValues(t *testing.T) {
	nan := math.NaN()
	c := book.Chart{Kind: book.Time, X: book.Axis{Unit: "s"}, Series: []book.Series{{X: []float64{-10, 0, 50, 100}, Y: []float64{nan, 1, 2, nan}}}}
	require.Contains(t, texts(t, draw(t, c, svg.Options{})), "90")
}

func TestSeriesOfTheRightAxisAreNamedSo(t *testing.T) {
	shown := texts(t, draw(t, timeline(60, 2), svg.Options{}))
	require.Contains(t, shown, "p99 →")
	require.Contains(t, shown, "operation A")
}

func TestLabelsOfMarksDoNotCoverOneAnother(t *testing.T) {
	c := timeline(600, 1)
	c.Marks = nil
	for i := range 40 {
		c.Marks = append(c.Marks, book.Mark{From: float64(100 + i*i/4), Kind: book.Event, Label: fmt.Sprintf("event %d", i)})
	}
	type spot struct{ x, y string }
	seen := make(map[spot]bool)
	names := 0
	picture := draw(t, c, svg.Options{})
	for _, e := range parsed(t, picture) {
		if e.name != "text" || !strings.HasPrefix(e.text, "event ") {
			continue
		}
		at := spot{e.attributes["x"], e.attributes["y"]}
		require.False(t, seen[at])
		seen[at], names = true, names+1
	}
	require.Greater(t, names, 8)
	require.Contains(t, strings.Join(texts(t, picture), "\n"), fmt.Sprintf("There is no room for the names of %d marks.", 40-names))
}

func TestALargeChartIsLimitedWithANote(t *testing.T) {
	c := book.Chart{Kind: book.Lines}
	for i := range 300 {
		c.Series = append(c.Series, book.Series{Name: fmt.Sprint("series ", i), X: []float64{1, 2}, Y: []float64{1, float64(i)}})
	}
	shown := texts(t, draw(t, c, svg.Options{}))
	require.Contains(t, shown, "16 of 300 series are drawn.")
	require.Contains(t, shown, "series 15")
	require.NotContains(t, shown, "series 16")

	c = book.Chart{Kind: book.Bars, Series: []book.Series{{Y: make([]float64, 500)}}}
	for i := range 500 {
		c.X.Categories = append(c.X.Categories, fmt.Sprint("case ", i))
	}
	require.Contains(t, texts(t, draw(t, c, svg.Options{})), "40 of 500 groups of bars are drawn.")
}

func TestNamesThatAreCutAreThereInFull(t *testing.T) {
	name := strings.Repeat("long-", 2000)
	for _, kind := range []book.Kind{book.Lines, book.Bars, book.Time} {
		c := book.Chart{
			Title: name, How: name, Kind: kind, X: book.Axis{Title: name, Categories: []string{name, name}}, Y: []book.Axis{{Title: name}},
			Series: []book.Series{{Name: name, Y: []float64{1, 2}}, {Name: name, Y: []float64{1, 2}}}, Marks: []book.Mark{{Label: name, Kind: book.Event}},
		}
		picture := draw(t, c, svg.Options{})
		require.Less(t, len(picture), 64<<10)
		full := 0
		for _, e := range parsed(t, picture) {
			if e.name == "text" {
				require.Less(t, len(e.text), 2000)
			}
			if e.name == "title" && len(e.text) > 900 {
				full++
			}
		}
		require.Greater(t, full, 3)
	}
}

// hostile has what XML forbids, and what would end a text or an attribute.
const hostile = "</text><script>alert(1)</script>\" onload='x' & \x00\x01\x1b\ufffe\u202e\x80 ]]> 表"

// wild is a chart of arbitrary content.
func wild(r *rand.Rand) book.Chart {
	value := func() float64 {
		switch r.IntN(12) {
		case 0:
			return math.NaN()
		case 1:
			return math.Inf(1 - 2*r.IntN(2))
		case 2:
			return 0
		case 3:
			return -1000 * r.Float64()
		case 4:
			return math.MaxFloat64
		case 5:
			return math.Pow(10, 40*r.Float64()-20)
		}
		return 1000 * r.Float64()
	}
	values := func() []float64 {
		out := make([]float64, r.IntN(30))
		for i := range out {
			out[i] = value()
		}
		return out
	}
	word := func() string {
		return []string{"", "a", hostile, strings.Repeat("W", 10_000), "吞吐量", "µs", "ops/s", "%", "B", "published", "\xff"}[r.IntN(11)]
	}
	axis := func() book.Axis {
		a := book.Axis{Title: word(), Unit: []string{"", "s", "ops/s", "µs", "%", hostile, "B"}[r.IntN(7)], Scale: []book.Scale{"", book.Log, book.Percentile, "odd"}[r.IntN(4)]}
		if r.IntN(3) == 0 {
			a.Max = value()
		}
		for range r.IntN(4) * r.IntN(20) {
			a.Categories = append(a.Categories, word())
		}
		return a
	}
	c := book.Chart{Title: word(), How: word(), Kind: []book.Kind{book.Lines, book.Bars, book.Time, book.Density, "odd"}[r.IntN(5)], X: axis()}
	for range r.IntN(4) {
		c.Y = append(c.Y, axis())
	}
	for range r.IntN(4) * r.IntN(8) {
		s := book.Series{
			Name: word(), Axis: r.IntN(4) - 1, Style: []book.Style{"", book.Dashed, book.Points, book.Steps}[r.IntN(4)], Published: r.IntN(3) == 0,
			Y: values(), Hidden: r.IntN(9) == 0,
		}
		if r.IntN(2) == 0 {
			s.X = values()
		}
		if r.IntN(3) == 0 {
			s.Low, s.High = values(), values()
		}
		for range r.IntN(5) {
			s.Runs = append(s.Runs, values())
		}
		c.Series = append(c.Series, s)
	}
	for range r.IntN(3) * r.IntN(9) {
		c.Marks = append(c.Marks, book.Mark{
			From: value(), To: value(), Label: word(), Text: word(),
			Kind: []book.MarkKind{book.Action, book.Event, book.Dip, book.Phase, book.Chosen, "odd"}[r.IntN(6)],
		})
	}
	for range r.IntN(4) {
		c.Limits = append(c.Limits, book.Limit{Value: value(), Axis: r.IntN(4) - 1, Label: word()})
	}
	if r.IntN(2) == 0 {
		c.Heat = &book.Heat{X: values(), Y: values()}
		for range r.IntN(30) {
			counts := make([]uint64, r.IntN(30))
			for i := range counts {
				counts[i] = r.Uint64() >> r.IntN(64)
			}
			c.Heat.Counts = append(c.Heat.Counts, counts)
		}
		if r.IntN(2) == 0 {
			c.Heat.X, c.Heat.Y = density().Heat.X, density().Heat.Y
		}
	}
	return c
}

// sound requires what holds for every picture.
func sound(t testing.TB, picture string) {
	t.Helper()
	elements := parsed(t, picture)
	ids := make(map[string]bool)
	number := regexp.MustCompile(`^-?(\d+(\.\d)?|\.\d)$`)
	for _, e := range elements {
		require.NotEqual(t, "script", e.name)
		for name, value := range e.attributes {
			require.NotContains(t, value, "NaN", name)
			require.NotContains(t, value, "Inf", name)
			switch name {
			case "id":
				require.False(t, ids[value], "an id stands twice: %s", value)
				ids[value] = true
			case "x", "y", "width", "height":
				if value != "100%" {
					require.Regexp(t, number, value)
				}
			case "d":
				require.Regexp(t, `^[MlhvaHzc0-9. -]*$`, value)
			case "onload":
				require.Fail(t, "an attribute from a text")
			}
		}
		if e.name == "text" {
			require.NotContains(t, e.text, "NaN")
			require.NotContains(t, e.text, "Inf")
		}
	}
}

func TestEveryChartCanBeDrawn(t *testing.T) {
	for seed := range uint64(500) {
		c := wild(random(seed))
		sound(t, draw(t, c, svg.Options{Inline: seed%2 == 0, Width: int(seed%5) * 300}))
	}
}

func FuzzEveryChartCanBeDrawn(f *testing.F) {
	f.Add(uint64(1), 10, "a")
	f.Fuzz(func(t *testing.T, seed uint64, width int, name string) {
		c := wild(random(seed))
		c.Title, c.How = name, name
		sound(t, draw(t, c, svg.Options{Inline: seed%2 == 0, Width: width, ID: name}))
	})
}

func TestAWriterThatFailsIsAnError(t *testing.T) {
	err := svg.Write(broken{}, sweep(), svg.Options{})
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func BenchmarkTenSeriesOverTwoHours(b *testing.B) {
	c := timeline(7200, 10)
	for b.Loop() {
		require.NoError(b, svg.Write(io.Discard, c, svg.Options{Inline: true}))
	}
}

func BenchmarkAHundredSmallCharts(b *testing.B) {
	charts := []book.Chart{sweep(), percentiles(), products(), cases()}
	for b.Loop() {
		for i := range 100 {
			require.NoError(b, svg.Write(io.Discard, charts[i%4], svg.Options{}))
		}
	}
}
