package coordinator

import (
	"context"
	"time"

	"github.com/benchd/benchd/internal/record"
)

// progress returns how many runs of an unfinished suite have ended, and the time that the suite still takes; ok is false
// if that is unknown.
func (c *Coordinator) progress(ctx context.Context, id string) (ended int, left time.Duration, ok bool, err error) {
	suite, runs, err := c.results.Find(ctx, id)
	if err != nil {
		return 0, 0, false, err
	}
	current := ""
	for _, r := range runs {
		if r.Status.Ended() {
			ended++
		} else if current == "" {
			current = r.ID
		}
	}
	if cd := c.conductor(current); cd != nil {
		left, ok = cd.Progress().SuiteLeft(record.NewETA(c.config.Reader, suite, runs, current))
		return ended, left, ok, nil
	}
	eta := record.NewETA(c.config.Reader, suite, runs, "")
	return ended, eta.After, eta.Known, nil
}
