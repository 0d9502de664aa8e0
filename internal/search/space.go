package search

import (
	"errors"
	"fmt"
	"math"
)

// Vary is the setting that a search varies.
type Vary string

// What a search can vary.
const (
	Rate    Vary = "rate"    // the offered rate over all agents, in an open loop
	Threads Vary = "threads" // the number of workers over all agents
)

// The defaults of a Space, and its bounds.
const (
	DefaultTolerance = 0.05
	DefaultConfirm   = 3
	DefaultMost      = 40

	leastTolerance, mostTolerance = 0.01, 0.5
	mostConfirm                   = 20
	mostProbes                    = 200
)

// Space is the question of a search: the highest throughput at a value between From and To that keeps an objective.
type Space struct {
	Vary Vary      `json:"vary"`
	From float64   `json:"from"`
	To   float64   `json:"to"`
	Keep Objective `json:"keep"`
	// Tolerance is the largest relative distance between the answer and the lowest value that misses the objective;
	// where threads vary it is also the difference of throughput that the search ignores. 0 means DefaultTolerance.
	Tolerance float64 `json:"tolerance"`
	// Confirm is how many runs confirm the answer. 0 means DefaultConfirm.
	Confirm int `json:"confirm"`
	// Most is the largest number of runs. 0 means DefaultMost.
	Most int `json:"most"`
}

// WithDefaults returns the space with its defaults in place of zeros.
func (s Space) WithDefaults() Space {
	if s.Tolerance == 0 {
		s.Tolerance = DefaultTolerance
	}
	if s.Confirm == 0 {
		s.Confirm = DefaultConfirm
	}
	if s.Most == 0 {
		s.Most = DefaultMost
	}
	return s
}

// Validate returns all mistakes in the space; zeros that WithDefaults replaces are none.
func (s Space) Validate() error {
	s = s.WithDefaults()
	var flaws []error
	flaw := func(format string, args ...any) { flaws = append(flaws, fmt.Errorf(format, args...)) }
	if s.Vary != Rate && s.Vary != Threads {
		flaw("invalid vary %q: want rate (operations per second in an open loop) or threads", s.Vary)
	}
	if !(s.From > 0) || math.IsInf(s.From, 0) {
		flaw("invalid from %v: want a number above 0", s.From)
	}
	if !(s.To > s.From) || math.IsInf(s.To, 0) {
		flaw("invalid to %v: want a number above from, which is %v", s.To, s.From)
	}
	if s.Vary == Threads && (s.From != math.Trunc(s.From) || s.To != math.Trunc(s.To)) {
		flaw("invalid from %v or to %v: want whole numbers of threads", s.From, s.To)
	}
	if !(s.Tolerance >= leastTolerance && s.Tolerance <= mostTolerance) {
		flaw("invalid tolerance %v: want a share between %v and %v, such as 0.05", s.Tolerance, leastTolerance, mostTolerance)
	}
	if s.Confirm < 1 || s.Confirm > mostConfirm {
		flaw("invalid confirm %d: want 1 to %d runs", s.Confirm, mostConfirm)
	}
	if s.Most <= s.Confirm || s.Most > mostProbes {
		flaw("invalid most %d: want more runs than confirm, which is %d, and at most %d", s.Most, s.Confirm, mostProbes)
	}
	return errors.Join(flaws...)
}

// round returns a value that people can read, close to v: a whole number of threads, or a rate with few digits. It stays
// within the space.
func (s Space) round(v float64) float64 {
	if s.Vary == Threads {
		v = math.Round(v)
	} else if v > 0 {
		unit := math.Pow(10, math.Floor(math.Log10(v*s.Tolerance/5)))
		v = math.Round(v/unit) * unit
		if unit < 1 { // a power of ten below 1 is not exact
			v = math.Round(v*1e9) / 1e9
		}
	}
	return min(max(v, s.From), s.To)
}
