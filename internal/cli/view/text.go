package view

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

const none = "–" // replaces a missing figure

// count formats a number with separated thousands.
func count(n float64) string {
	if math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
		return none
	}
	return result.Thousands(uint64(math.Round(n)))
}

// latency formats a time to three digits with a suitable unit, or none if it was not measured.
func latency(d time.Duration) string {
	if d <= 0 {
		return none
	}
	return report.Micros(float64(d) / float64(time.Microsecond))
}

// Span formats a duration: 4.0 s, 2m05s, 3h07m.
func Span(d time.Duration) string {
	switch {
	case d < 0:
		return none
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

// share formats 0 to 1 as a percentage, or none if it is negative, which means unknown.
func share(x float64) string {
	if x < 0 || math.IsNaN(x) {
		return none
	}
	return fmt.Sprintf("%.0f %%", 100*x)
}

// bar draws a progress bar.
func bar(done float64, width int) string {
	full := int(math.Round(max(0, min(1, done)) * float64(width)))
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// spark draws the last values as columns, the highest of them full.
func spark(values []float64, width int) string {
	columns := []rune("▁▂▃▄▅▆▇█")
	values = last(values, width)
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	var b strings.Builder
	for _, v := range values {
		level := 0
		if top > 0 && v > 0 {
			level = min(len(columns)-1, int(v/top*float64(len(columns))))
		}
		b.WriteRune(columns[level])
	}
	return b.String()
}

// align formats rows as columns two spaces apart: the first left columns are left-aligned, the others right-aligned.
func align(rows [][]string, left int) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		var b strings.Builder
		for j, cell := range row {
			if j > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[j]-ansi.StringWidth(cell))
			if j < left {
				b.WriteString(cell + pad)
			} else {
				b.WriteString(pad + cell)
			}
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
