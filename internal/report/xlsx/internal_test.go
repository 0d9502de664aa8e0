package xlsx

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/benchd/benchd/internal/report/book"
)

// Excel refuses names of sheets that are too long, that have certain characters, or that differ only in case.
func TestNamesOfSheetsAreValidAndDistinct(t *testing.T) {
	n := make(names)
	for _, one := range []struct{ text, want string }{
		{"insert", "insert"},
		{"Insert", "Insert (2)"},
		{"INSERT", "INSERT (3)"},
		{"a:b\\c/d?e*f[g]", "a-b-c-d-e-f-g-"},
		{"", "-"},
		{"'quoted'", "quoted"},
		{"history", "history-"},
		{strings.Repeat("x", 40), strings.Repeat("x", 31)},
		{strings.Repeat("X", 40), strings.Repeat("X", 27) + " (2)"},
		{strings.Repeat("😀", 40), strings.Repeat("😀", 15)},
		{"\u202eevil\x00\n", "evil"},
		{strings.Repeat("y", 30) + "'z", strings.Repeat("y", 30)},
		{"straße", "straße"},
		{"STRASSE", "STRASSE"},
	} {
		got := n.add(one.text)
		require.Equal(t, one.want, got, "%q", one.text)
		require.NoError(t, excelizeAccepts(got), "%q", got)
	}
}

func excelizeAccepts(name string) error {
	f := excelize.NewFile()
	defer func() { _ = f.Close() }()
	_, err := f.NewSheet(name)
	return err
}

// Control characters and marks that reverse text are visible, and long texts are cut with a mark.
func TestTextsFitIntoCells(t *testing.T) {
	require.Equal(t, "plain\ttext\n=1+1 Größe 吞吐量", clean("plain\ttext\r\n=1+1 Größe 吞吐量"))
	require.Equal(t, `\u001b[31mred\u0000\u202eabc\ufffe`, clean("\x1b[31mred\x00\u202eabc\ufffe"))
	require.Equal(t, "\ufffd", clean("\xff"))
	for _, r := range []string{"x", "é", "😀"} {
		cut := clean(strings.Repeat(r, 40_000))
		require.LessOrEqual(t, len(utf16(cut)), longest)
		require.Greater(t, len(utf16(cut)), longest-100)
		require.True(t, strings.HasSuffix(cut, "[cut: 40000 characters in all]"), cut[len(cut)-60:])
	}
}

func utf16(s string) []rune {
	var out []rune
	for _, r := range s {
		out = append(out, r)
		if r > 0xffff {
			out = append(out, 0)
		}
	}
	return out
}

func TestNumberFormatsHaveTheDecimalsThatFiguresNeed(t *testing.T) {
	for want, values := range map[string][]float64{
		"#,##0":     {1, 200, 3_000_000},
		"#,##0.0":   {12.5, 400},
		"#,##0.00":  {1.25, 42.5},
		"#,##0.000": {0.237, 0.15},
		"0.00E+00":  {1e-9},
	} {
		require.Equal(t, want, format(values), "%v", values)
	}
	require.Equal(t, "#,##0", format([]float64{0.5, 41_000}))
	require.Equal(t, "#,##0", format(nil))
}

// The unit of a head is that of the numbers, which can differ from that of the texts.
func TestHeadsHaveTheUnitOfTheNumbers(t *testing.T) {
	same := func(s string) string { return s }
	for want, c := range map[string]book.Column{
		"throughput (ops/s)":            {Head: "throughput (ops/s)", Unit: "ops/s"},
		"ops/s":                         {Head: "ops/s", Unit: "ops/s"},
		"read avg (µs)":                 {Head: "read avg (ms)", Unit: "µs"},
		"READ p50 (µs)":                 {Head: "READ p50", Unit: "µs"},
		"published: throughput (ops/s)": {Head: "throughput", Unit: "ops/s", Published: true},
		"published: reads":              {Head: "published: reads", Published: true},
	} {
		require.Equal(t, want, head(c, same))
	}
}

func TestTextsThatSayMoreThanTheirNumberAreKept(t *testing.T) {
	for _, text := range []string{"42,105", "1.10 ms", "−3", "85 %", "1.2e", "0", "42,105\u00a0ops/s"} {
		require.False(t, compound(text), text)
	}
	for _, text := range []string{"42,105 (41,000 to 43,000)", "5 of 6", "3 ± 1"} {
		require.True(t, compound(text), text)
	}
}

// A published band without a value is drawn around its middle, and an open bound at the bound.
func TestWhiskersReachTheBounds(t *testing.T) {
	nan := math.NaN()
	at, above, below, open := whiskers([]float64{5, nan, nan, nan, nan}, []float64{4, 50, 80, nan, nan}, []float64{7, 60, nan, 10, nan})
	require.True(t, allSame([]float64{5, 55, 80, 10, nan}, at), at)
	require.True(t, allSame([]float64{2, 5, nan, nan, nan}, above), above)
	require.True(t, allSame([]float64{1, 5, nan, nan, nan}, below), below)
	require.Equal(t, []int{1, 2, 3}, open)
}

// A table with more rows than a sheet has continues on a further sheet, below the same heads.
func TestLongTablesTakeSeveralSheets(t *testing.T) {
	table := book.Table{Title: "Every interval: operations", Columns: []book.Column{{Head: "start", Unit: "s", Figure: true}}}
	for i := range 25 {
		table.Rows = append(table.Rows, []book.Cell{book.Number(float64(i), "")})
	}
	var out bytes.Buffer
	require.NoError(t, write(&out, book.Book{Title: "long", Data: []book.Table{table}}, Options{}, 13))
	f, err := excelize.OpenReader(&out)
	require.NoError(t, err)
	require.Equal(t, []string{"Summary", "Data operations", "Data operations (2)", "Data operations (3)"}, f.GetSheetList())
	next := 0
	for _, sheet := range f.GetSheetList()[1:] {
		rows, err := f.GetRows(sheet)
		require.NoError(t, err)
		require.LessOrEqual(t, len(rows), 13)
		require.Equal(t, []string{"start (s)"}, rows[dataTop-1])
		for _, row := range rows[dataTop:] {
			require.Equal(t, itoa(next), row[0])
			next++
		}
	}
	require.Equal(t, 25, next)
}
