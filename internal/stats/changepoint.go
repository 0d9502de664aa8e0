package stats

import (
	"fmt"
	"math"
	"slices"
)

// Change is a point from which on the values of a series have another level.
type Change struct {
	At    int // the first value after the change
	Found int // the value with which the test found it: it did not need later ones
	// Earliest and Latest are the first and the last place at which the test found the change, or At.
	Earliest, Latest int
	// Ratio is the factor between the values of the window before the change and those from it to the next one (Hodges and
	// Lehmann). Low and High bound it with ChangeConfidence where there are enough values, and are 0 otherwise. They do not allow
	// for the fact that the data chose the point.
	Ratio, Low, High float64
	Statistic        float64 // at Found
	Threshold        float64 // that it exceeds
}

// LeastForChange is how many values Changes needs to find a change.
const LeastForChange = 12

// ChangeConfidence is the confidence of a Change's interval.
const ChangeConfidence = 0.95

// The rule of Changes. The thresholds are calibrated for exactly these numbers.
const (
	changeWindow = 40  // of the latest values, at most
	changeBefore = 8   // values before a change, at least
	changeLeast  = 3   // values after it, at least: one value or two never make a change
	changeMost   = 8   // values after it, at most
	changeClip   = 3   // robust standard deviations
	changeBeyond = 0.5 // robust standard deviations from the median, of three values after it at least
)

// ChangeTest describes the test that Changes makes.
func ChangeTest(quiet float64) string {
	return fmt.Sprintf("sequential two-sample test for a change of the mean: each new value with the %d before it, cut at %d robust deviations from "+
		"their median; the standardized difference of the last %d to %d values from those before exceeds %.2f, and that of a straight line; thresholds "+
		"calibrated by simulation to at most one false alarm in %.0f values",
		changeWindow-1, changeClip, changeLeast, changeMost, threshold(quiet), max(quiet, calibrated[0].quiet))
}

// calibrated are the thresholds for the mean number of values of a quiet series from one false alarm to the next. Each is that of
// the worst of three kinds of noise: normal, Student's t with three degrees of freedom, and normal with an outlier in twenty
// values. TestChangesInAQuietSeries measures them.
//
//nolint:gochecknoglobals // a constant table: Go has no constant arrays
var calibrated = []struct{ quiet, threshold float64 }{
	{200, 2.9}, {500, 3.2}, {1000, 3.45}, {2000, 3.65}, {5000, 3.9}, {10_000, 4.05}, {50_000, 4.4},
}

// threshold is that of a mean distance of false alarms. Between two entries of the table, and beyond its end, it is linear in
// the logarithm, which beyond the end is more than is needed.
func threshold(quiet float64) float64 {
	i := 1
	for i < len(calibrated)-1 && calibrated[i].quiet < quiet {
		i++
	}
	a, b := calibrated[i-1], calibrated[i]
	share := math.Log(max(quiet, a.quiet)/a.quiet) / math.Log(b.quiet/a.quiet)
	return a.threshold + share*(b.threshold-a.threshold)
}

// Changes finds the points at which the level of a series of independent values changed, as a test finds them that sees one value
// after another: a change that is found once stays found, and is found without later values. In a quiet series it finds one change
// in so many values at most, on average; less than 200 counts as 200. The test looks at a window of the latest values, so that a
// slow drift makes no change, and it bounds what a single value contributes, so that an outlier makes none. After a change the test
// begins again there, and needs a few values before it can find another.
func Changes(values []float64, quiet float64) []Change {
	limit := threshold(quiet)
	var w changeTest
	var out []Change
	start := 0
	for i := range values {
		from := max(start, i+1-changeWindow)
		found, ok := w.find(values[from:i+1], limit)
		if !ok {
			continue
		}
		found.Found = i
		found.At, found.Earliest, found.Latest = from+found.At, from+found.Earliest, from+found.Latest
		start = found.At
		out = append(out, found)
	}
	for i := range out {
		out[i].measure(values, out[:i], out[i+1:])
	}
	return out
}

// measure estimates the size of a change, between the ones before and after it.
func (c *Change) measure(values []float64, earlier, later []Change) {
	from, to := 0, len(values)
	if n := len(earlier); n > 0 {
		from = earlier[n-1].At
	}
	if len(later) > 0 {
		to = later[0].At
	}
	before, after := values[max(from, c.At-changeWindow):c.At], values[c.At:min(to, c.At+changeWindow)]
	if slices.Min(before) <= 0 || slices.Min(after) <= 0 {
		return
	}
	ratios := sortedRatios(before, after)
	c.Ratio = Median(ratios)
	if low, high, ok := rankBounds(ratios, len(before), len(after), ChangeConfidence); ok {
		c.Low, c.High = low, high
	}
}

// changeTest has the memory of a test.
type changeTest struct {
	scores, sorted []float64
	middle         float64 // the median of the window
	deviation      float64 // robust
}

// find tests whether the last values of a window have another level than those before them. The places in its answer are those
// of the window.
func (w *changeTest) find(values []float64, limit float64) (best Change, ok bool) {
	n := len(values)
	if n < LeastForChange || !w.score(values) {
		return best, false
	}
	var squares, line, times float64
	for i, s := range w.scores {
		t := float64(i) - float64(n-1)/2
		squares += s * s
		line += t * s
		times += t * t
	}
	variance := squares / float64(n-1) // of a score, over all orders of the values
	best = Change{Threshold: limit, Statistic: max(limit, math.Abs(line)/math.Sqrt(variance*times))}
	limit = best.Statistic
	var sum float64
	above, below := 0, 0 // of the values after the change
	for after := 1; after <= changeMost && n-after >= changeBefore; after++ {
		sum += w.scores[n-after]
		switch d := (values[n-after] - w.middle) / w.deviation; {
		case d > changeBeyond:
			above++
		case d < -changeBeyond:
			below++
		}
		z := math.Abs(sum) / math.Sqrt(variance*float64(after)*float64(n-after)/float64(n))
		side := above
		if sum < 0 {
			side = below
		}
		if side < changeLeast || z <= limit {
			continue
		}
		best.Earliest = n - after
		if !ok {
			best.Latest = n - after
		}
		best.Statistic = max(best.Statistic, z)
		ok = true
	}
	if ok {
		best.At = w.locate(values, best.Earliest)
		best.Latest = max(best.Latest, best.At)
	}
	return best, ok
}

// locate returns the place from the earliest on at which two levels, the medians before and after it, leave the smallest distances
// of the values. The statistic cannot decide between neighbours where it has cut the values, and may count a last value before the
// change as one after it.
func (w *changeTest) locate(values []float64, earliest int) (at int) {
	least := math.Inf(1)
	for k := earliest; k <= len(values)-changeLeast+1; k++ {
		var distance float64
		for _, part := range [][]float64{values[:k], values[k:]} {
			w.sorted = append(w.sorted[:0], part...)
			middle := sortedMedian(w.sorted)
			for _, v := range part {
				distance += math.Abs(v - middle)
			}
		}
		if distance < least {
			at, least = k, distance
		}
	}
	return at
}

// score sets the scores of values: their distances from the median in robust deviations, cut, less their mean. It reports false
// for values that do not vary.
func (w *changeTest) score(values []float64) bool {
	w.sorted = append(w.sorted[:0], values...)
	middle := sortedMedian(w.sorted)
	w.scores, w.sorted = w.scores[:0], w.sorted[:0]
	var mean float64
	for _, v := range values {
		w.scores = append(w.scores, v-middle)
		w.sorted = append(w.sorted, math.Abs(v-middle))
		mean += math.Abs(v-middle) / float64(len(values))
	}
	deviation := 1.4826 * sortedMedian(w.sorted)
	if deviation == 0 {
		deviation = mean // more than half of the values are equal
	}
	if deviation <= leastNoise*math.Abs(middle) {
		return false
	}
	w.middle, w.deviation = middle, deviation
	mean = 0
	for i, s := range w.scores {
		w.scores[i] = max(-changeClip, min(changeClip, s/deviation))
		mean += w.scores[i] / float64(len(values))
	}
	for i := range w.scores {
		w.scores[i] -= mean
	}
	return true
}

// sortedMedian sorts values and returns their median.
func sortedMedian(values []float64) float64 {
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}
