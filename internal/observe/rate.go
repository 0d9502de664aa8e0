package observe

import (
	"time"

	"github.com/benchd/benchd/internal/clock"
)

// Sample is a figure as it is reported.
type Sample struct {
	Name, Source, Unit string
	Value              float64
}

// Rates turns the readings of groups into samples. One goroutine uses it.
type Rates struct {
	since  clock.Instant // counts before it are in no rate
	groups map[groupKey]*counters
}

type groupKey struct{ source, key string }

type readingKey struct{ name, suffix string }

// counters are the values of a group's counters when they were last renewed.
type counters struct {
	epoch string
	at    clock.Instant // when they were renewed; zero before the first time
	seen  clock.Instant // when the group was last read
	last  map[readingKey][2]float64
}

// forgetAfter is how long a group that is no longer seen is remembered, and maxGroups is how many groups are remembered.
const (
	forgetAfter = 10 * time.Minute
	maxGroups   = 20_000
)

// NewRates returns an empty Rates.
func NewRates() *Rates { return &Rates{groups: make(map[groupKey]*counters)} }

// Since sets the start of the run. An earlier reading is not even a baseline: the first rate is between two readings of the
// run.
func (r *Rates) Since(start clock.Instant) { r.since = start }

// Take appends the samples of a group. Counters become rates between two readings of different instants.
func (r *Rates) Take(out []Sample, g *Group) []Sample {
	key := groupKey{g.Source, g.Key}
	c := r.groups[key]
	if c == nil || c.epoch != g.Epoch {
		if len(r.groups) >= maxGroups {
			r.forget(g.At)
		}
		c = &counters{epoch: g.Epoch, last: make(map[readingKey][2]float64)}
		r.groups[key] = c
	}
	c.seen = g.At
	at := g.Renewed
	if g.Live {
		at = g.At
	}
	seconds := at.Sub(c.at).Seconds()
	first := c.at.IsZero()
	renewed := !at.IsZero() && !at.Before(r.since) && (first || seconds > 0)
	for i := range g.Readings {
		in := &g.Readings[i]
		s := Sample{Name: in.Name, Source: g.Source + in.Suffix, Unit: in.Unit, Value: in.Value}
		if in.Kind == Level {
			out = append(out, s)
			continue
		}
		if !renewed {
			continue
		}
		id := readingKey{in.Name, in.Suffix}
		before, known := c.last[id]
		c.last[id] = [2]float64{in.Value, in.Of}
		grown, of := in.Value-before[0], in.Of-before[1]
		switch {
		case first, !known, grown < 0, of < 0: // the first reading, or the counter was reset
			continue
		case in.Kind == Counter:
			s.Value = grown / seconds
		case of <= 0:
			continue // a share of nothing
		default:
			s.Value = 100 * min(grown/of, 1)
		}
		out = append(out, s)
	}
	if renewed {
		c.at = at
	}
	return out
}

// forget drops groups that are no longer seen.
func (r *Rates) forget(now clock.Instant) {
	for key, c := range r.groups {
		if now.Sub(c.seen) > forgetAfter {
			delete(r.groups, key)
		}
	}
	if len(r.groups) >= maxGroups {
		clear(r.groups) // more than any cluster has: start over
	}
}
