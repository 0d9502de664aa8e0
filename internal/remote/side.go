package remote

import (
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// Sides makes the sides of comparisons from results.
type Sides struct {
	Targets descriptor.List
	Series  bool      // the figures of series are needed
	Newest  time.Time // when the newest of the results was submitted
}

// Side makes a side of the JSON of some results.
func (s *Sides) Side(name string, texts [][]byte, only compare.Selection) (compare.Side, error) {
	suites := make([]result.Suite, 0, len(texts))
	for _, text := range texts {
		if !s.Series {
			text = result.WithoutSeries(text)
		}
		run, suite, err := result.Read(text)
		if err != nil {
			return compare.Side{}, wire.Errorf(wire.ErrBadSpec, "%s: %v", name, err)
		}
		if suite == nil {
			suite = &result.Suite{ID: run.ID, Status: run.Status, Runs: []result.Run{run}}
		}
		suites = append(suites, *suite)
		if at := report.Submitted(*suite); at.After(s.Newest) {
			s.Newest = at
		}
	}
	side, err := compare.NewSide(name, suites, only, s.Targets)
	if err != nil {
		return compare.Side{}, wire.Errorf(wire.ErrBadSpec, "%v", err)
	}
	return side, nil
}

// CheckFigures returns an error for the first of some names that is not a figure.
func CheckFigures(names []string, targets descriptor.List) error {
	known := figure.New(targets.Columns())
	for _, name := range names {
		if !known.Parse(name).Measured() {
			return fmt.Errorf("unknown figure %q: want names such as throughput_ops, read_p99_us or update_avg_us", name)
		}
	}
	return nil
}
