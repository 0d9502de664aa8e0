package svg

import (
	"math"

	"github.com/benchd/benchd/internal/report/book"
)

// valueText is the value of a bar in the unit of its axis, or its interval if that is all.
func (b *barChart) valueText(s *series, i int) string {
	one := func(v float64) string {
		if def := b.chart.Y[s.Axis]; def.Scale == book.Log {
			return figure(v, def.Unit)
		}
		return digits(v / b.units[s.Axis].by)
	}
	switch {
	case !math.IsNaN(s.Y[i]):
		return one(s.Y[i])
	case len(s.Low) == 0 || math.IsNaN(s.Low[i]) && math.IsNaN(s.High[i]):
		return ""
	case math.IsNaN(s.High[i]):
		return "> " + one(s.Low[i])
	case math.IsNaN(s.Low[i]):
		return "< " + one(s.High[i])
	}
	return one(s.Low[i]) + "–" + one(s.High[i])
}

// widest is the width of the widest value.
func (b *barChart) widest() float64 {
	w := 0.0
	for _, s := range b.bars {
		for i, x := range s.X {
			if x >= 0 && x < float64(len(b.categories)) {
				w = max(w, widthOf(b.valueText(s, i), tickSize))
			}
		}
	}
	return w
}

// values writes the values at the ends of the bars, their intervals and their repeats.
func (b *barChart) values(slot float64) {
	b.tickLabels(map[bool]anchor{true: start, false: middle}[b.lying])
	for order, s := range b.bars {
		for i, x := range s.X {
			text := ""
			if x >= 0 && x < float64(len(b.categories)) {
				text = b.valueText(s, i)
			}
			if text == "" {
				continue
			}
			at, to := b.at(x, order, slot), b.reach(s, i)
			distance := 5.0
			if s.Style == book.Points && !math.IsNaN(s.Y[i]) {
				distance = 9
			}
			if b.lying {
				b.plainText(text, to+distance, at+4)
			} else {
				b.plainText(text, at, to-distance)
			}
		}
	}
	b.add("</g>\n")
}

// reach is the position of the end of a bar, its interval and its repeats.
func (b *barChart) reach(s *series, i int) float64 {
	axis := b.y[s.Axis]
	greatest := 0.0
	add := func(v float64) {
		if v > greatest {
			greatest = v
		}
	}
	add(s.Y[i])
	open := 0.0
	if len(s.High) > 0 {
		if add(s.Low[i]); math.IsNaN(s.High[i]) && !math.IsNaN(s.Low[i]) {
			open = math.Copysign(openLength, axis.b-axis.a)
		}
		add(s.High[i])
	}
	if i < len(s.Runs) {
		for _, v := range s.Runs[i] {
			add(v)
		}
	}
	if to := axis.within(greatest); !math.IsNaN(to) {
		return to + open
	}
	return axis.base()
}
