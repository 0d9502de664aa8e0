package coordinator

import (
	"context"
	"time"

	"github.com/benchd/benchd/internal/record"
)

// progress is the progress of an unfinished suite.
type progress struct {
	ended   int           // runs
	atMost  int           // see record.ETA
	left    time.Duration // the time that the suite still takes
	hasLeft bool
}

// progress returns the progress of an unfinished suite.
func (c *Coordinator) progress(ctx context.Context, id string) (progress, error) {
	suite, runs, err := c.results.Find(ctx, id)
	if err != nil {
		return progress{}, err
	}
	var p progress
	current := ""
	for _, r := range runs {
		if r.Status.Ended() {
			p.ended++
		} else if current == "" {
			current = r.ID
		}
	}
	cd := c.conductor(current)
	if cd == nil {
		current = ""
	}
	eta := record.NewETA(c.config.Reader, suite, runs, current)
	p.atMost, p.left, p.hasLeft = eta.RunsAtMost, eta.After, eta.Known
	if cd != nil {
		p.left, p.hasLeft = cd.Progress().SuiteLeft(eta)
	}
	return p, nil
}
