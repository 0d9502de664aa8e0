package watch

import (
	"time"

	"github.com/benchd/benchd/internal/clock"
)

// leastPeriod is the least time between two renewals for which it is worth while to leave a server alone.
const leastPeriod = 3 * time.Second

// pace learns how long a server keeps a page of figures before it renews them, as HBase does for ten seconds, and says when
// to look again: what is known already is not asked for, and renewed figures are seen as soon as if it were.
type pace struct {
	sum     uint64        // of the page
	looked  clock.Instant // last
	changed clock.Instant // when it was first seen as it is now
	still   int           // looks since then
	period  time.Duration
	rest    clock.Instant // until when nothing new is expected
}

// due reports whether it is time to look.
func (p *pace) due(now clock.Instant) bool { return !now.Before(p.rest) }

// saw takes in a look at the page.
func (p *pace) saw(now clock.Instant, sum uint64) {
	gap := now.Sub(p.looked)
	first := p.looked.IsZero()
	p.looked = now
	if first || sum == p.sum {
		p.sum = sum
		p.still++
		return
	}
	// The page was renewed within the gap before now; so it was the time before.
	if p.still == 0 || p.changed.IsZero() {
		p.period = 0 // sooner than was thought, or it is not known since when it was as it had been
	} else {
		p.period = now.Sub(p.changed) - gap // it was seen as it had been for so long, and lasts longer
	}
	p.sum, p.changed, p.still, p.rest = sum, now, 0, clock.Instant{}
	if p.period >= leastPeriod {
		p.rest = now.Add(p.period - gap)
	}
}
