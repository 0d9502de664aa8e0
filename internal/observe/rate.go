package observe

import "time"

// heldFor is after how long a counter that stands still does so indeed: servers of HBase renew their figures every ten
// seconds or so.
const heldFor = 15 * time.Second

// Sample is a figure as it is told.
type Sample struct {
	Name, Source, Unit string
	Value              float64
}

// Rates turns the readings of groups into samples. One goroutine uses it.
type Rates struct {
	groups map[groupKey]*counters
}

type groupKey struct{ source, key string }

type readingKey struct{ name, suffix string }

// counters are those of a group as they were when they were last taken for new.
type counters struct {
	epoch string
	at    time.Time // when they were
	seen  time.Time // when the group was seen last
	last  map[readingKey][2]float64
}

// forgetAfter is how long a group that is not seen any more is remembered, and mostGroups how many are at most.
const (
	forgetAfter = 10 * time.Minute
	mostGroups  = 20_000
)

// NewRates returns Rates that have seen nothing.
func NewRates() *Rates { return &Rates{groups: make(map[groupKey]*counters)} }

// Take appends the samples of a group.
func (r *Rates) Take(out []Sample, g *Group) []Sample {
	key := groupKey{g.Source, g.Key}
	c := r.groups[key]
	if c == nil || c.epoch != g.Epoch {
		if len(r.groups) >= mostGroups {
			r.forget(g.At)
		}
		c = &counters{epoch: g.Epoch, last: make(map[readingKey][2]float64)}
		r.groups[key] = c
	}
	c.seen = g.At
	seconds := g.At.Sub(c.at).Seconds()
	first := c.at.IsZero()
	renewed := first || seconds > 0 && (g.Live || g.At.Sub(c.at) >= heldFor || c.changed(g))
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
		case first, !known, grown < 0, of < 0: // it has started anew
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
		c.at = g.At
	}
	return out
}

// changed reports whether a counter of a group is another than it was.
func (c *counters) changed(g *Group) bool {
	for i := range g.Readings {
		in := &g.Readings[i]
		if in.Kind == Level {
			continue
		}
		if before, known := c.last[readingKey{in.Name, in.Suffix}]; !known || before != [2]float64{in.Value, in.Of} {
			return true
		}
	}
	return false
}

// forget lets groups go that are not seen any more.
func (r *Rates) forget(now time.Time) {
	for key, c := range r.groups {
		if now.Sub(c.seen) > forgetAfter {
			delete(r.groups, key)
		}
	}
	if len(r.groups) >= mostGroups {
		clear(r.groups) // more than anybody has; all begin anew
	}
}
