package foreign

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// Bounds on a result.
const (
	maxSheets   = 16      // results in the files of a run
	maxMeasures = 256     // of a phase
	maxCount    = 1 << 53 // operations
	maxMicros   = 1e15    // a latency: 30 years
	maxPoints   = 20_000  // of a series
	maxSeconds  = 1e9     // of a phase
	maxBuckets  = 1 << 21 // of all histograms of a measure
)

// sheet is what the files contain about a phase.
type sheet struct {
	milliseconds *float64 // run time
	throughput   *float64
	pointsTook   float64             // milliseconds from the first raw point to the last
	measures     map[string]*measure // by YCSB's name, Intended- included
	order        []string
}

// measure is what the files contain about an operation under one of YCSB's names.
type measure struct {
	count       *uint64
	mean        *float64 // all in microseconds
	min, max    *float64
	variance    *float64
	percentiles map[float64]float64
	returns     map[string]uint64
	coarse      bool // percentiles are to the millisecond, rounded down
	overTime    bool // it has means over time, which are not read

	listed  map[int64]uint64 // microseconds and how many, as measurement.histogram.verbose lists them
	exactly buckets          // of raw points or logs
}

func newSheet() *sheet { return &sheet{measures: make(map[string]*measure)} }

// measure returns the measure of a name, which the sheet then has.
func (s *sheet) measure(name string) (*measure, error) {
	m := s.measures[name]
	if m == nil {
		if err := checkName(name); err != nil {
			return nil, err
		}
		if len(s.order) == maxMeasures {
			return nil, fmt.Errorf("more than %d operations", maxMeasures)
		}
		m = &measure{percentiles: make(map[float64]float64), returns: make(map[string]uint64), listed: make(map[int64]uint64)}
		s.measures[name] = m
		s.order = append(s.order, name)
	}
	return m, nil
}

// checkName refuses a name that is none of an operation or an outcome.
func checkName(name string) error {
	ok := name != "" && len(name) <= 64 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.") == ""
	if !ok {
		return fmt.Errorf("invalid name %q of an operation: want up to 64 letters, digits, dots, dashes and underscores", clean(name[:min(len(name), 80)]))
	}
	return nil
}

// number reads a figure, which is a finite number that is not negative.
func number(text string, most float64) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || !(x >= 0 && x <= most) {
		return 0, fmt.Errorf("invalid value %q: want a number from 0 to %g", clean(text[:min(len(text), 40)]), most)
	}
	return x, nil
}

// whole reads a count, which JSON and Java may write as 12.0.
func whole(text string) (uint64, error) {
	x, err := number(text, maxCount)
	if err == nil && x != math.Trunc(x) {
		err = fmt.Errorf("invalid count %q: want a whole number", clean(text[:min(len(text), 40)]))
	}
	return uint64(x), err
}

// set stores a figure that must not be there twice with different values.
func set[T comparable](to **T, v T) error {
	if *to != nil && **to != v {
		return fmt.Errorf("the figure is there twice, as %v and %v: a file has one result of each phase", **to, v)
	}
	*to = &v
	return nil
}

// buckets are how often times occurred, in nanoseconds and in order.
type buckets []latency.Bucket

func (b buckets) count() (n uint64) {
	for _, one := range b {
		n += one.Count
	}
	return n
}

// merge merges buckets of several lists.
func merge(lists ...[]latency.Bucket) (buckets, error) {
	type extent struct{ low, high int64 }
	sums := make(map[extent]uint64)
	var total uint64
	for _, list := range lists {
		for _, b := range list {
			sums[extent{b.Low, b.High}] += b.Count
			if total += b.Count; total > maxCount || b.Count > maxCount {
				return nil, errors.New("more samples than can be counted")
			}
		}
		if len(sums) > maxBuckets {
			return nil, fmt.Errorf("more than %d different times", maxBuckets)
		}
	}
	order := slices.SortedFunc(maps.Keys(sums), func(a, b extent) int { return cmp.Or(cmp.Compare(a.high, b.high), cmp.Compare(a.low, b.low)) })
	out := make(buckets, len(order))
	for i, e := range order {
		out[i] = latency.Bucket{Low: e.low, High: e.high, Count: sums[e]}
	}
	return out, nil
}

// quantile is the highest time of the bucket of the sample of rank ⌈q·n⌉, in microseconds; nil if there are too few samples.
func (b buckets) quantile(q float64) *float64 {
	n := b.count()
	if n < latency.MinSamples(q) {
		return nil
	}
	rank := uint64(math.Ceil(q * float64(n) * (1 - 0x1p-51)))
	for _, one := range b {
		if one.Count >= rank {
			us := micros(float64(one.High))
			return &us
		}
		rank -= one.Count
	}
	return nil
}

// mean is the mean of the middles of the buckets, in microseconds.
func (b buckets) mean() float64 {
	var sum float64
	for _, one := range b {
		sum += (float64(one.Low) + float64(one.High)) / 2 * float64(one.Count)
	}
	return micros(sum / max(float64(b.count()), 1))
}

// micros converts nanoseconds, and keeps three decimals.
func micros(ns float64) float64 { return math.Round(ns) / 1000 }

// usualPercentiles are those that every result has a place for.
func usualPercentiles(f *result.Figures) map[float64]**float64 {
	return map[float64]**float64{50: &f.P50, 90: &f.P90, 95: &f.P95, 99: &f.P99, 99.9: &f.P999, 99.99: &f.P9999}
}

// samples is how many samples the measure has.
func (m *measure) samples() uint64 {
	if m.count != nil {
		return *m.count
	}
	return m.exactly.count()
}

// figures are the figures of a measure: those that a file prints, and percentiles of its histogram.
func (m *measure) figures() result.Figures {
	f := result.Figures{Count: m.samples()}
	if n := len(m.exactly); n > 0 {
		f.Mean, f.Min, f.Max = m.exactly.mean(), micros(float64(m.exactly[0].Low)), micros(float64(m.exactly[n-1].High))
		for _, b := range m.exactly {
			f.Min = min(f.Min, micros(float64(b.Low)))
		}
	}
	for _, own := range []struct {
		from *float64
		to   *float64
	}{{m.mean, &f.Mean}, {m.min, &f.Min}, {m.max, &f.Max}, {m.variance, &f.Variance}} {
		if own.from != nil {
			*own.to = *own.from
		}
	}
	for p, to := range usualPercentiles(&f) {
		switch us, printed := m.percentiles[p]; {
		case printed && !m.coarse && f.Count >= latency.MinSamples(p/100):
			*to = &us
		case !printed || m.coarse:
			*to = m.exactly.quantile(p / 100)
		}
	}
	return f
}

// combined are the figures with all percentiles that a file prints.
func (m *measure) combined() result.Figures {
	f := m.figures()
	for p, us := range m.percentiles {
		if m.coarse {
			break
		}
		if f.Percentiles == nil {
			f.Percentiles = make(map[string]*float64)
		}
		f.Percentiles[result.PercentileName(p)] = nil
		if f.Count >= latency.MinSamples(p/100) {
			f.Percentiles[result.PercentileName(p)] = &us
		}
	}
	return f
}

// settle completes a measure when all files are read: it accepts a listed histogram if it is the one that its figures were read from.
func (m *measure) settle() error {
	if len(m.listed) > 0 && len(m.exactly) == 0 && m.mean != nil && m.count != nil && len(m.percentiles) > 0 && !m.coarse {
		list := make([]latency.Bucket, 0, len(m.listed))
		for us, n := range m.listed {
			list = append(list, latency.Bucket{Low: us * 1000, High: us * 1000, Count: n})
		}
		merged, err := merge(list)
		if err != nil {
			return err
		}
		if mean := merged.mean(); merged.count() == *m.count && math.Abs(mean-*m.mean) <= max(0.001, 0.01**m.mean) {
			m.exactly = merged
		}
	}
	if len(m.listed) > 0 && len(m.percentiles) == 0 {
		m.overTime = true
	}
	return nil
}
