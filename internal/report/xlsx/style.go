package xlsx

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/benchd/benchd/internal/report/book"
)

// Colours. The palette is that of the other formats.
const (
	ink       = "1F2937"
	muted     = "5B6472"
	accent    = "0B62C4"
	headFill  = "E3ECF7"
	claimFill = "FCEFC7" // published figures
	claimInk  = "7D5A00"
	hairline  = "D5DAE1"
	goodFill  = "DDF3E4"
	warnFill  = "FFF0D0"
	badFill   = "FBDEDC"
)

func palette() []string {
	return []string{"0B62C4", "C2410C", "00806A", "8E3A9E", "7D6200", "3A87B7", "5C6570", "B3174E"}
}

// look is how a cell looks.
type look struct {
	size      float64 // 0: 10
	bold      bool
	italic    bool
	mono      bool
	link      bool
	color     string
	fill      string
	format    string // of a number
	align     string
	indent    bool
	wrap      bool
	border    bool
	rotated   bool
	claimed   bool // published
	headBelow bool // a strong line below
}

// styles makes each style once.
type styles struct {
	file *excelize.File
	font string
	ids  map[look]int
	err  error
}

func (s *styles) id(l look) int {
	if id, ok := s.ids[l]; ok {
		return id
	}
	style := excelize.Style{
		Font:      &excelize.Font{Family: s.font, Size: 10, Bold: l.bold, Italic: l.italic, Color: ink},
		Alignment: &excelize.Alignment{Horizontal: l.align, Vertical: "top", WrapText: l.wrap},
	}
	if l.indent {
		style.Alignment.Horizontal, style.Alignment.Indent = "left", 1
	}
	if l.size > 0 {
		style.Font.Size = l.size
	}
	if l.mono {
		style.Font.Family = "Consolas"
	}
	if l.color != "" {
		style.Font.Color = l.color
	}
	if l.link {
		style.Font.Color, style.Font.Underline = accent, "single"
	}
	fill := l.fill
	if l.claimed && fill == "" {
		fill = claimFill
	}
	if fill != "" {
		style.Fill = excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{fill}}
	}
	if l.format != "" {
		style.CustomNumFmt = &l.format
	}
	if l.rotated {
		style.Alignment.TextRotation = 90
		style.Alignment.Vertical = "bottom"
	}
	if l.headBelow {
		style.Alignment.Vertical = "center"
		style.Border = append(style.Border, excelize.Border{Type: "bottom", Color: accent, Style: 2})
	} else if l.border {
		style.Border = append(style.Border, excelize.Border{Type: "bottom", Color: hairline, Style: 1})
	}
	id, err := s.file.NewStyle(&style)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("add style: %w", err)
	}
	s.ids[l] = id
	return id
}

// format is the number format of a column: as many decimals as its smallest figures need.
func format(values []float64) string {
	least, most, whole := math.Inf(1), 0.0, true
	for _, x := range values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		whole = whole && x == math.Trunc(x)
		if x = math.Abs(x); x > 0 {
			least, most = min(least, x), max(most, x)
		}
	}
	switch {
	case most >= 1e15 || most > 0 && most < 1e-3:
		return "0.00E+00"
	case whole || least >= 100 || most >= 10_000:
		return "#,##0"
	case least >= 10 || most >= 1000:
		return "#,##0.0"
	case least >= 1 || most >= 100:
		return "#,##0.00"
	}
	return "#,##0.000"
}

// head is the head of a column with the unit of its numbers.
func head(c book.Column, text func(string) string) string {
	out := clean(c.Head)
	if c.Unit != "" && !hasUnit(out, c.Unit) {
		out = strings.TrimSpace(withoutUnit(out) + " (" + c.Unit + ")")
	}
	if published := text("published"); c.Published && !strings.Contains(out, published) {
		out = published + ": " + out
	}
	return out
}

func hasUnit(head, unit string) bool {
	return slices.Contains(strings.FieldsFunc(head, func(r rune) bool { return strings.ContainsRune(" ()（）:：,，", r) }), unit)
}

// withoutUnit is a head without the unit of its texts, such as ms, which differs from that of the numbers.
func withoutUnit(head string) string {
	for _, unit := range []string{"ns", "µs", "ms", "s", "min", "h"} {
		if short, ok := strings.CutSuffix(head, " ("+unit+")"); ok {
			return short
		}
	}
	return head
}
