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
	// maxQueuedBy bounds those of one peer.
	maxQueuedBy = 256
)

// quota counts the suites that have not ended, in all and by who has queued them: the verified peer, or else the name that the peer
// claims. The archive has the submitter of a suite. A suite that another peer has resumed counts for that peer; after a restart of the
// coordinator, for its submitter.
type quota struct {
	total   int
	by      map[string]int
	resumed map[string]string // by suite, who has resumed it
}

// count counts suites.
func (q *quota) count(suites []archive.SuiteSummary) {
	q.total, q.by = 0, make(map[string]int)
	resumed := make(map[string]string)
	for _, s := range suites {
		if s.Status.Ended() {
			continue
		}
		who := s.SubmittedBy
		if other, is := q.resumed[s.ID]; is {
			who, resumed[s.ID] = other, other
		}
		q.total++
		q.by[who]++
	}
	q.resumed = resumed
}

// resume counts a suite that had ended for the peer that resumes it.
func (q *quota) resume(suite, who string) { q.resumed[suite] = who }

// admits returns an error if a peer may queue no further suite.
func (q *quota) admits(who string) error {
	const cure = "wait until some have ended, or cancel some with `benchctl cancel`"
	if n := q.by[who]; n >= maxQueuedBy {
		return wire.Errorf(wire.ErrLimit, "%d suites of %q have not ended, the maximum: %s", n, who, cure)
	}
	if q.total >= maxQueued {
		return wire.Errorf(wire.ErrLimit, "%d suites have not ended, the maximum: %s", q.total, cure)
	}
	return nil
}

// admitSuite returns an error if a peer may queue no further suite. The caller holds c.submitting until the suite is in the archive.
func (c *Coordinator) admitSuite(ctx context.Context, who string) error {
	suites, err := c.archive.Suites(ctx)
	if err != nil {
		return fmt.Errorf("count the active suites: %w", err)
	}
	c.quota.count(suites)
	return c.quota.admits(who)
}
