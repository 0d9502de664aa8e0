package draw

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// Interval is what all agents of a run measured in one interval of a phase, or in several that follow each other: a few hundred
// for a phase are enough.
type Interval struct {
	Phase      string
	Start, End time.Duration // since the phase's start
	Tail       bool          // after the phase's planned end
	Series     []latency.Series
}

// Histograms collects the histograms of a run for its charts: merged over the main phase, counted by time and response time, and
// the percentiles of each interval. It is not safe for concurrent use.
type Histograms struct {
	main   string
	merged latency.Merged // of the main phase
	course map[operation]*course
	heat   counts // of the main phase
	ranks  ranks
}

// operation is an operation with an outcome in a phase.
type operation struct {
	phase string
	key   latency.Key
}

// course has the percentiles of the intervals of an operation, without those after a planned end.
type course struct {
	starts, lengths           []time.Duration
	p50, p95, p99, p999, most []float64 // µs; NaN where there are too few samples
}

// NewHistograms returns an empty collection for a run.
func NewHistograms(r result.Run) *Histograms {
	h := &Histograms{course: make(map[operation]*course), ranks: newRanks(0.5, 0.95, 0.99, 0.999)}
	if p := mainPhase(r); p != nil {
		h.main = p.Name
	}
	return h
}

// Add adds an interval. Intervals come in any order of phases, and by time within a phase.
func (h *Histograms) Add(iv Interval) error {
	if iv.Phase == h.main {
		if err := h.merged.Add(iv.Series); err != nil {
			return fmt.Errorf("add interval at %s of %s: %w", iv.Start, iv.Phase, err)
		}
	}
	for i := range iv.Series {
		s := &iv.Series[i]
		if s.Key.PartOf != "" || !result.Good(s.Key.Outcome) || s.Response.Count() == 0 {
			continue
		}
		if !iv.Tail {
			at := operation{iv.Phase, s.Key}
			if h.course[at] == nil {
				h.course[at] = new(course)
			}
			h.course[at].add(iv, s.Response, h.ranks)
		}
		if iv.Phase == h.main {
			h.heat.add(s.Key, iv.Start.Seconds(), (iv.End - iv.Start).Seconds(), s.Response)
		}
	}
	return nil
}

func (c *course) add(iv Interval, h *latency.Histogram, r ranks) {
	q := r.of(h)
	c.starts, c.lengths = append(c.starts, iv.Start), append(c.lengths, iv.End-iv.Start)
	c.p50, c.p95, c.p99, c.p999 = append(c.p50, q[0]), append(c.p95, q[1]), append(c.p99, q[2]), append(c.p999, q[3])
	c.most = append(c.most, micros(h.Max()))
}

// ranks are quantiles in ascending order, with the number of samples that each needs.
type ranks []rank

type rank struct {
	q    float64
	need uint64
}

func newRanks(quantiles ...float64) ranks {
	out := make(ranks, len(quantiles))
	for i, q := range quantiles {
		out[i] = rank{q, latency.MinSamples(q)}
	}
	return out
}

// of reads the quantiles off a histogram in one pass over its buckets, in microseconds: NaN where there are too few samples,
// or where only a lower bound is known.
func (r ranks) of(h *latency.Histogram) [4]float64 {
	out := [4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	n, sum, i := h.Count(), uint64(0), 0
	for value, count := range h.Buckets {
		sum += count
		for i < len(r) && n >= r[i].need && float64(sum) >= math.Ceil(r[i].q*float64(n)*(1-0x1p-51)) {
			out[i] = micros(value)
			i++
		}
		if i == len(r) || n < r[i].need {
			break
		}
	}
	return out
}

func micros(ns int64) float64 { return float64(ns) / 1000 }

// step is the usual length of the intervals of an operation in the main phase, in seconds.
func (h *Histograms) step(key latency.Key) float64 {
	var step time.Duration
	if c := h.course[operation{h.main, key}]; c != nil {
		step = slices.Max(c.lengths)
	}
	return step.Seconds()
}

// secondsText is a length of time in a sentence.
func secondsText(seconds float64) string {
	if seconds <= 0 {
		return "interval"
	}
	return strconv.FormatFloat(rounded(seconds), 'f', -1, 64) + " s"
}
