package coordinator

import (
	"context"
	"fmt"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// maxQueued bounds the suites that have not ended.
	maxQueued = 1024
	// maxQueuedBy bounds those of one submitter.
	maxQueuedBy = 256
)

// quota counts the suites that have not ended, in all and by who has submitted them.
type quota struct {
	total int
	by    map[string]int
}

// readQuota counts the suites of the archive.
func readQuota(ctx context.Context, from Archive) (quota, error) {
	q := quota{by: make(map[string]int)}
	suites, err := from.Suites(ctx)
	if err != nil {
		return q, fmt.Errorf("count the active suites: %w", err)
	}
	for _, s := range suites {
		q.add(s)
	}
	return q, nil
}

func (q *quota) add(s archive.SuiteSummary) {
	if !s.Status.Ended() {
		q.total++
		q.by[s.SubmittedBy]++
	}
}

// admits returns an error if no further suite of a submitter may be queued.
func (q *quota) admits(submitter string) error {
	const cure = "wait until some have ended, or cancel some with `benchctl cancel`"
	if n := q.by[submitter]; n >= maxQueuedBy {
		return wire.Errorf(wire.ErrLimit, "%d suites of %q have not ended, the maximum: %s", n, submitter, cure)
	}
	if q.total >= maxQueued {
		return wire.Errorf(wire.ErrLimit, "%d suites have not ended, the maximum: %s", q.total, cure)
	}
	return nil
}
