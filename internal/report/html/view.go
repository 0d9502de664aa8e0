package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/svg"
)

// page is what the template shows.
type page struct {
	Lang     string
	Policy   string
	Style    template.CSS
	Script   template.JS
	Texts    template.JS // JSON of the texts that the script shows, by their English form
	Shared   template.JS // JSON of the positions that series share
	Book     book.Book
	Lead     []block
	Chapters []chapter
	Details  []chapter
	Time     bool // there are charts that the script draws
	Help     string
}

// chapter is a chapter of the book.
type chapter struct {
	ID     string
	Title  string
	Text   []block
	Charts []chart
	Tables []table
	Files  []book.File
}

// block is a paragraph, or a list if it has items.
type block struct {
	Text  string
	Items []string
}

// chart is a chart of a chapter: a picture, or data for the script.
type chart struct {
	ID      string
	Title   string
	How     string
	Picture template.HTML
	Data    template.JS
	Class   string // over-time: as wide as the page; small: beside another one
}

// table is a table of a chapter.
type table struct {
	book.Table

	ID        string
	Published bool // it has columns of published figures
	Columns   []column
	Size      string // a class for printing: tables with many columns are set smaller
}

// column is a column of a table.
type column struct {
	book.Column

	Prose bool // its texts are so long that they need several lines
}

// longestLine is the length of the texts of a table's cell that stay on one line.
const longestLine = 40

// pictureWidth is the width of charts that are pictures, in the pixels of a screen.
const pictureWidth = 560

func newPage(b book.Book, o Options) (page, error) {
	p := page{
		Lang: o.Lang, Policy: Policy(), Book: b, Lead: blocks(b.Lead), Help: helpText,
		Style:  template.CSS(style), //nolint:gosec // our own
		Script: template.JS(script), //nolint:gosec // our own
	}
	texts := make(map[string]string)
	for _, text := range scriptTexts() {
		texts[text] = o.Text(text)
	}
	var err error
	if p.Texts, err = toJSON(texts); err != nil {
		return page{}, err
	}
	shared := newPositions()
	for i, c := range b.Chapters {
		v := chapter{ID: fmt.Sprintf("c%d", i+1), Title: c.Title, Text: blocks(c.Text), Files: c.Files}
		for k, source := range c.Charts {
			made, err := newChart(source, fmt.Sprintf("%s-chart%d", v.ID, k+1), shared, o)
			if err != nil {
				return page{}, err
			}
			p.Time = p.Time || made.Picture == ""
			v.Charts = append(v.Charts, made)
		}
		small(v.Charts)
		for k, t := range c.Tables {
			v.Tables = append(v.Tables, newTable(t, fmt.Sprintf("%s-table%d", v.ID, k+1)))
		}
		if c.Detail {
			p.Details = append(p.Details, v)
		} else {
			p.Chapters = append(p.Chapters, v)
		}
	}
	p.Shared, err = toJSON(shared.list)
	return p, err
}

func newChart(c book.Chart, id string, shared *positions, o Options) (chart, error) {
	v := chart{ID: id, Title: c.Title, How: c.How, Class: "over-time"}
	switch c.Kind {
	case book.Lines, book.Bars:
		var picture bytes.Buffer
		if err := svg.Write(&picture, c, svg.Options{Inline: true, Width: pictureWidth, ID: id, Text: o.Text}); err != nil {
			return chart{}, fmt.Errorf("draw %q: %w", c.Title, err)
		}
		v.Picture, v.Class = template.HTML(picture.String()), "" //nolint:gosec // package svg escapes its texts
	default:
		var err error
		if v.Data, err = toJSON(newData(c, shared)); err != nil {
			return chart{}, err
		}
	}
	return v, nil
}

// fewCharts is the number of charts over time that are wide in a chapter with more: those behind them are telemetry.
const fewCharts = 4

// small makes the charts over time small behind the first ones, if there are many.
func small(charts []chart) {
	var wide []int
	for i, c := range charts {
		if c.Picture == "" {
			wide = append(wide, i)
		}
	}
	if len(wide) <= fewCharts+1 {
		return
	}
	for _, i := range wide[fewCharts:] {
		charts[i].Class = "small"
	}
}

func newTable(t book.Table, id string) table {
	v := table{Table: t, ID: id}
	for i, c := range t.Columns {
		v.Published = v.Published || c.Published
		prose := slices.ContainsFunc(t.Rows, func(row []book.Cell) bool { return i < len(row) && utf8.RuneCountInString(row[i].Text) > longestLine })
		v.Columns = append(v.Columns, column{c, prose && !c.Figure})
	}
	switch n := len(t.Columns); {
	case n > 14:
		v.Size = "vast"
	case n > 9:
		v.Size = "wide"
	}
	return v
}

// Column returns column i, or an empty one if a row has more cells than the table has columns.
func (t table) Column(i int) column {
	if i >= len(t.Columns) {
		return column{}
	}
	return t.Columns[i]
}

// toJSON returns a value as JSON that can be placed in a script element: encoding/json escapes <, > and &.
func toJSON(v any) (template.JS, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encode charts: %w", err)
	}
	return template.JS(text), nil //nolint:gosec // escaped by encoding/json
}

// blocks joins the items among paragraphs to lists.
func blocks(paragraphs []string) []block {
	var out []block
	for _, text := range paragraphs {
		item, isItem := strings.CutPrefix(text, "- ")
		last := len(out) - 1
		switch {
		case !isItem:
			out = append(out, block{Text: text})
		case last >= 0 && out[last].Items != nil:
			out[last].Items = append(out[last].Items, item)
		default:
			out = append(out, block{Items: []string{item}})
		}
	}
	return out
}

// shortened is a text that may have been cut. Full is empty if it was not.
type shortened struct{ Text, Full string }

// longestTip bounds the text that is shown for a cut one: names can be endless, and are repeated in many places.
const longestTip = 2000

// cut shortens a text to n characters.
func cut(n int, text string) shortened {
	if utf8.RuneCountInString(text) <= n {
		return shortened{Text: text}
	}
	return shortened{first(text, n), first(text, longestTip)}
}

func first(text string, n int) string {
	count := 0
	for i := range text {
		if count == n-1 && utf8.RuneCountInString(text[i:]) > 1 {
			return text[:i] + "…"
		}
		count++
	}
	return text
}
