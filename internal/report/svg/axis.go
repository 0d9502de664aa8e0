package svg

import (
	"math"
	"slices"
	"strconv"

	"github.com/benchd/benchd/internal/report/book"
)

// span is a range of values.
type span struct {
	lo, hi float64
	some   bool
}

func (s *span) add(v float64) {
	switch {
	case math.IsNaN(v):
	case !s.some:
		s.lo, s.hi, s.some = v, v, true
	case v < s.lo:
		s.lo = v
	case v > s.hi:
		s.hi = v
	}
}

// tick is a value on an axis with its label. Minor ones have no line.
type tick struct {
	value float64
	label string
	minor bool
}

// axis maps values to positions.
type axis struct {
	book.Axis
	lo, hi float64 // the range, on the scale
	a, b   float64 // its positions
	top    float64 // where 100 stands on the scale of percentiles
	ticks  []tick
	unit   string // in the title; empty if the labels have it
}

// scaled maps a value to the scale. NaN: it has no place there.
func (x *axis) scaled(v float64) float64 {
	switch x.Scale {
	case book.Log:
		if v <= 0 {
			return math.NaN()
		}
		return math.Log10(v)
	case book.Percentile:
		switch {
		case v < 0 || v > 100:
			return math.NaN()
		case v > 100-1e-6:
			return x.top
		}
		return -math.Log10(1 - v/100)
	case book.Linear:
		return v
	default:
		return v
	}
}

// at is the position of a value. NaN: it has none.
func (x *axis) at(v float64) float64 {
	return x.a + (x.scaled(v)-x.lo)/(x.hi-x.lo)*(x.b-x.a)
}

// within is at, limited to the axis.
func (x *axis) within(v float64) float64 {
	return min(max(x.at(v), min(x.a, x.b)), max(x.a, x.b))
}

// base is the position where bars begin: at 0, or at the low end of the axis.
func (x *axis) base() float64 {
	if x.Scale == book.Linear {
		return x.within(0)
	}
	return x.a
}

// name is the title of the axis with its unit.
func (x *axis) name() string {
	switch {
	case x.unit == "":
		return x.Title
	case x.Title == "":
		return x.unit
	}
	return x.Title + " (" + x.unit + ")"
}

// reach is the width of the widest label.
func (x *axis) reach() float64 {
	w := 0.0
	for _, t := range x.ticks {
		w = max(w, widthOf(t.label, tickSize))
	}
	return w
}

// valueAxis is an axis of values, which begins at 0 if it is linear. It has about n ticks; with force, exactly n intervals.
func valueAxis(def book.Axis, values span, n int, force bool) axis {
	x := axis{Axis: def}
	if def.Scale == book.Log {
		x.logarithmic(values, n, true)
		return x
	}
	x.Scale = book.Linear
	fixed := def.Max > 0 && !math.IsInf(def.Max, 0)
	values.add(0)
	if fixed {
		values.hi = def.Max
	}
	if values.hi-values.lo < 1e-300 {
		values.hi = values.lo + 1
	}
	m := measureOf(def.Unit, max(math.Abs(values.lo), math.Abs(values.hi)))
	by := niceStep((values.hi - values.lo) / float64(n) / m.by)
	if force {
		for by*float64(n)*m.by < values.hi*(1-1e-9) || math.Floor(values.lo/m.by/by) < 0 && !fits(values, by*m.by, n) {
			by = niceStep(by * 1.01)
		}
	}
	lo, hi := math.Floor(values.lo/m.by/by+1e-9), math.Ceil(values.hi/m.by/by-1e-9)
	if force {
		hi = lo + float64(n)
	}
	x.lo, x.hi = lo*by*m.by, hi*by*m.by
	if fixed {
		x.hi = def.Max
	}
	x.unit = m.name
	for i := lo; i <= hi; i++ {
		if v := i * by * m.by; v <= x.hi*(1+1e-9) || x.hi <= 0 {
			x.ticks = append(x.ticks, tick{value: v, label: grouped(i*by, decimals(by))})
		}
	}
	return x
}

// fits reports whether n steps cover the values.
func fits(values span, by float64, n int) bool {
	return math.Floor(values.lo/by)+float64(n) >= values.hi/by
}

// logarithmic sets the range to round values, with labels at powers of ten. Wide: the ends are ticks.
func (x *axis) logarithmic(values span, n int, wide bool) {
	if !values.some || values.hi <= 0 {
		values = span{lo: 1, hi: 10}
	}
	lo, hi := math.Log10(max(values.lo, values.hi*1e-15)), math.Log10(values.hi)
	if wide {
		lo, hi = roundLog(lo, math.Floor), roundLog(hi, math.Ceil)
	}
	if hi-lo < 0.1 {
		lo, hi = lo-0.5, hi+0.5
		if wide {
			lo, hi = roundLog(lo, math.Floor), roundLog(hi, math.Ceil)
		}
	}
	x.Scale, x.lo, x.hi, x.unit = book.Log, lo, hi, x.Unit
	steps, times := family(x.Unit)
	if times {
		x.unit = ""
	}
	factors := []float64{1}
	if decades := hi - lo; decades <= 1.5 {
		factors = []float64{1, 2, 5}
	} else if decades <= 2.5 && n > 4 {
		factors = []float64{1, 3}
	}
	every := max(1, int(math.Ceil((hi-lo)/float64(max(n, 2)))))
	for e := int(math.Floor(lo)); float64(e) <= hi; e++ {
		if e%every != 0 {
			continue
		}
		for _, f := range factors {
			v := f * math.Pow10(e)
			if s := math.Log10(v); s < lo-1e-9 || s > hi+1e-9 {
				continue
			}
			label := power(v)
			if times {
				m := largest(steps, v*1.0001)
				label = trimmed(strconv.FormatFloat(v/m.by, 'g', 4, 64)) + " " + m.name
			}
			x.ticks = append(x.ticks, tick{value: v, label: label})
		}
	}
}

// roundLog rounds to the logarithm of 1, 2 or 5 times a power of ten.
func roundLog(v float64, round func(float64) float64) float64 {
	e := math.Floor(v + 1e-9)
	marks := []float64{e, e + math.Log10(2), e + math.Log10(5), e + 1}
	if round(0.5) == 0 {
		slices.Reverse(marks)
		for _, m := range marks {
			if m <= v+1e-9 {
				return m
			}
		}
		return e
	}
	for _, m := range marks {
		if m >= v-1e-9 {
			return m
		}
	}
	return e + 1
}

// positionAxis is an x axis over numbers. The values of few positions are its ticks, if there is room.
func positionAxis(def book.Axis, values span, positions []float64, room float64) axis {
	x := axis{Axis: def, a: 0, b: room}
	if !values.some {
		values = span{lo: 0, hi: 1}
	}
	switch def.Scale {
	case book.Percentile:
		x.percentiles(positions)
		return x
	case book.Log:
		x.logarithmic(values, int(room/70), false)
		pad := max(0.03*(x.hi-x.lo), 0.02)
		x.lo, x.hi = x.lo-pad, x.hi+pad
	case book.Linear:
		x.linear(values, int(max(room/80, 2)))
	default:
		x.Scale = book.Linear
		x.linear(values, int(max(room/80, 2)))
	}
	x.ownTicks(positions)
	return x
}

func (x *axis) linear(values span, n int) {
	lo, hi := values.lo, values.hi
	if hi-lo < 1e-12*max(math.Abs(lo), math.Abs(hi), 1e-12) {
		wide := max(math.Abs(lo)*0.5, 0.5)
		lo, hi = lo-wide, hi+wide
	}
	pad := 0.04 * (hi - lo)
	if lo >= 0 && lo < 0.35*hi {
		lo = 0
	} else {
		lo -= pad
	}
	if hi += pad; x.Max > 0 && x.Max > lo {
		hi = x.Max
	}
	m := measureOf(x.Unit, max(math.Abs(lo), math.Abs(hi)))
	x.lo, x.hi, x.unit = lo, hi, m.name
	x.round(m, niceStep((hi-lo)/float64(n)/m.by))
}

// seconds is an x axis over time, from the first value to the last one.
func seconds(def book.Axis, values span, room float64) axis {
	x := axis{Axis: def, a: 0, b: room}
	x.Scale = book.Linear
	if !values.some {
		values = span{lo: 0, hi: 1}
	}
	if values.lo > 0 && values.lo < 0.2*values.hi {
		values.lo = 0
	}
	if values.hi-values.lo < 1e-9 {
		values.hi = values.lo + 1
	}
	x.lo, x.hi = values.lo, values.hi
	m := elapsed(max(math.Abs(x.lo), math.Abs(x.hi)))
	x.unit = m.name
	least := (x.hi - x.lo) / m.by / max(room/70, 2)
	by := niceStep(least)
	for _, usual := range map[string][]float64{"s": {15, 30, 60}, "min": {15, 30, 60}, "h": {3, 6, 12, 24, 48}}[m.name] {
		if usual >= least && (usual < by || by > 10) && (m.name == "h" || by >= 20) {
			by = usual
			break
		}
	}
	if whole := math.Ceil(x.hi/m.by/by) * by * m.by; whole-x.hi < 0.005*(x.hi-x.lo) {
		x.hi = whole
	}
	x.round(m, by)
	return x
}

// round sets ticks at the multiples of a step.
func (x *axis) round(m measure, by float64) {
	for i := math.Ceil(x.lo/m.by/by - 1e-9); i*by*m.by <= x.hi+1e-9*math.Abs(x.hi) && len(x.ticks) < 100; i++ {
		x.ticks = append(x.ticks, tick{value: i * by * m.by, label: grouped(i*by, decimals(by))})
	}
}

// ownTicks replaces the ticks by the positions of the data, if they are few and have room.
func (x *axis) ownTicks(positions []float64) {
	const few = 14
	if len(positions) == 0 || len(positions) > few {
		return
	}
	m := measureOf(x.Unit, slices.Max(positions))
	var ticks []tick
	free := math.Inf(-1)
	dropped := 0
	for _, v := range positions {
		at, label := x.at(v), plainNumber(v/m.by)
		if math.IsNaN(at) {
			continue
		}
		half := widthOf(label, tickSize) / 2
		if at-half < free {
			dropped++
			continue
		}
		free = at + half + 3
		ticks = append(ticks, tick{value: v, label: label})
	}
	if len(ticks) == 0 || dropped > 0 {
		return
	}
	x.ticks, x.unit = ticks, m.name
}

func plainNumber(v float64) string {
	if v == math.Trunc(v) {
		return grouped(v, 0)
	}
	return digits(v)
}

// percentiles sets the range to whole steps: 0, 90, 99, 99.9 and so on. The maximum, 100, has a step of its own behind them.
func (x *axis) percentiles(positions []float64) {
	greatest, whole := 0.0, false
	for _, v := range positions {
		if v > 100-1e-6 {
			whole = true
		} else {
			greatest = max(greatest, v)
		}
	}
	last := min(max(math.Ceil(x.scaled(greatest)-1e-9), 2), 6)
	x.ticks = append(x.ticks, tick{value: 0, label: "0"}, tick{value: 50, label: "50", minor: true})
	for i := 1; i <= int(last); i++ {
		v := 100 - math.Pow10(2-i)
		x.ticks = append(x.ticks, tick{value: v, label: strconv.FormatFloat(v, 'f', max(0, i-2), 64)})
	}
	if whole {
		last++
		x.ticks = append(x.ticks, tick{value: 100, label: "100"})
	}
	x.lo, x.hi, x.top, x.unit = 0, last, last, x.Unit
}

// niceStep is the smallest of 1, 2 and 5 times a power of ten that is not below v.
func niceStep(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= v*(1-1e-9) {
			return f * power
		}
	}
	return 10 * power
}

// decimals is the number of decimals that multiples of a step have.
func decimals(by float64) int {
	return min(max(0, int(-math.Floor(math.Log10(by)+1e-9))), 12)
}
