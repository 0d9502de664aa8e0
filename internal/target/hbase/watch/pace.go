package watch

import (
	"time"

	"github.com/benchd/benchd/internal/clock"
)

// leastPeriod is the shortest time between two renewals for which skipping a server is worthwhile.
const leastPeriod = 3 * time.Second

// pace learns how long a server caches a page of figures (HBase: ten seconds) and when to read it again. Pages that cannot have
// changed are not read, and renewed figures are still seen without delay.
type pace struct {
	sum     uint64        // the page's checksum
	looked  clock.Instant // when it was last read
	changed clock.Instant // when its current content was first seen
	still   int           // reads since then
	period  time.Duration
	rest    clock.Instant // until when no change is expected
}

// due reports whether it is time to read the page.
func (p *pace) due(now clock.Instant) bool { return !now.Before(p.rest) }

// saw records a read of the page.
func (p *pace) saw(now clock.Instant, sum uint64) {
	gap := now.Sub(p.looked)
	first := p.looked.IsZero()
	p.looked = now
	if first || sum == p.sum {
		p.sum = sum
		p.still++
		return
	}
	// The page was renewed within the gap before now; so was its previous renewal.
	if p.still == 0 || p.changed.IsZero() {
		p.period = 0 // the renewal came early, or the start of the period is unknown
	} else {
		p.period = now.Sub(p.changed) - gap // unchanged for at least this long
	}
	p.sum, p.changed, p.still, p.rest = sum, now, 0, clock.Instant{}
	if p.period >= leastPeriod {
		p.rest = now.Add(p.period - gap)
	}
}
