package draw

import (
	"math"
	"slices"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/stats"
)

// mostPoints is how many points a series of telemetry has at most. More cannot be seen, and they make pages large.
const mostPoints = 2000

// joined makes series of sources that share their times. Sources that report at different instants, or very often, are put on
// a grid of equal steps; step is then its length in seconds, otherwise 0.
func joined(sources []*reported, scale float64) (out []book.Series, step float64) {
	same := true
	for _, r := range sources {
		same = same && slices.Equal(r.at, sources[0].at)
	}
	if same && len(sources[0].at) <= mostPoints {
		for i, r := range sources {
			s := book.Series{Name: r.source, Verbatim: true, Y: make([]float64, len(r.v))}
			for k, v := range r.v {
				s.Y[k] = v / scale
			}
			if i == 0 {
				s.X = r.at
			}
			out = append(out, s)
		}
		return out, 0
	}
	from, to := math.Inf(1), math.Inf(-1)
	usual := make([]float64, len(sources))
	for i, r := range sources {
		from, to = min(from, r.at[0]), max(to, r.at[len(r.at)-1])
		usual[i] = spacing(r.at)
	}
	step = niceStep(max(slices.Max(usual)*0.95, (to-from)/mostPoints))
	first := math.Floor(from / step)
	n := int(math.Floor(to/step)-first) + 1
	for i, r := range sources {
		s := book.Series{Name: r.source, Verbatim: true, Y: onGrid(r, first, step, n, 3*max(usual[i], step))}
		for k := range s.Y {
			s.Y[k] /= scale
		}
		if i == 0 {
			s.X = make([]float64, n)
			for k := range s.X {
				s.X[k] = rounded((first + float64(k) + 0.5) * step)
			}
		}
		out = append(out, s)
	}
	return out, step
}

// onGrid are the means of a source in the cells of a grid. A cell without a value lies on the line between its neighbours, unless
// they are further apart than a gap.
func onGrid(r *reported, first, step float64, n int, gap float64) []float64 {
	sum, count := make([]float64, n), make([]int, n)
	for i, at := range r.at {
		k := min(max(int(math.Floor(at/step)-first), 0), n-1)
		sum[k] += r.v[i]
		count[k]++
	}
	last := -1
	for k := range sum {
		if count[k] == 0 {
			sum[k] = math.NaN()
			continue
		}
		sum[k] /= float64(count[k])
		if last >= 0 && float64(k-last)*step <= gap {
			for j := last + 1; j < k; j++ {
				sum[j] = sum[last] + (sum[k]-sum[last])*float64(j-last)/float64(k-last)
			}
		}
		last = k
	}
	return sum
}

// spacing is the usual time between two values of a source; 0 if there is only one.
func spacing(at []float64) float64 {
	if len(at) < 2 {
		return 0
	}
	between := make([]float64, len(at)-1)
	for i := range between {
		between[i] = at[i+1] - at[i]
	}
	return stats.Median(between)
}

// niceStep is the smallest of 0.1, 0.2, 0.5, 1, 2, 5, 10 … that is not smaller than x.
func niceStep(x float64) float64 {
	unit := 0.1
	for {
		for _, times := range []float64{1, 2, 5} {
			if times*unit >= x {
				return math.Round(times*unit*10) / 10
			}
		}
		unit *= 10
	}
}
