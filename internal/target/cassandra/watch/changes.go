package watch

import (
	"fmt"
	"maps"
	"slices"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/cassandra/cluster"
)

// changes compares what two reads of the cluster have found.
type changes struct {
	begun       bool
	up          map[string]bool   // nodes, by address
	generations map[string]string // of their processes
	working     map[string]work   // compactions of nodes
	out         []observe.Event
}

// work is the time since which a node compacts.
type work struct {
	since clock.Instant
}

func newChanges() *changes {
	return &changes{up: make(map[string]bool), generations: make(map[string]string), working: make(map[string]work)}
}

// take returns the events since the last call.
func (c *changes) take() []observe.Event {
	out := c.out
	c.out = nil
	return out
}

func (c *changes) event(kind string, at clock.Instant, format string, args ...any) {
	c.out = append(c.out, observe.Event{At: at, Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// nodes compares the nodes with those of the previous read.
func (c *changes) nodes(now []cluster.Node, at clock.Instant) {
	up := make(map[string]bool)
	for _, n := range now {
		up[n.Address] = n.Up
	}
	if c.begun {
		for _, address := range slices.Sorted(maps.Keys(up)) {
			before, there := c.up[address]
			switch {
			case !there:
				c.event(result.HappenedServer, at, "node %s has joined: %d now", address, len(up))
			case before && !up[address]:
				c.event(result.HappenedServer, at, "node %s is lost", address)
			case !before && up[address]:
				c.event(result.HappenedServer, at, "node %s is back", address)
			}
		}
		for _, address := range slices.Sorted(maps.Keys(c.up)) {
			if _, there := up[address]; !there {
				c.event(result.HappenedServer, at, "node %s has left: %d now", address, len(up))
			}
		}
	}
	c.begun, c.up = true, up
}

// generation notes the process of a node.
func (c *changes) generation(address, now string, at clock.Instant) {
	if before := c.generations[address]; before != "" && before != now {
		c.event(result.HappenedServer, at, "node %s was restarted", address)
	}
	c.generations[address] = now
}

// compactions notes how many compactions are under way on a node.
func (c *changes) compactions(address string, tasks int, at clock.Instant) {
	before, working := c.working[address]
	switch {
	case tasks > 0 && !working:
		c.working[address] = work{at}
		c.event(result.HappenedCompaction, at, "compaction begins on %s", address)
	case tasks == 0 && working:
		delete(c.working, address)
		c.event(result.HappenedCompaction, at, "%s on %s after %.0f s", result.CompactionEnds, address, at.Sub(before.since).Seconds())
	}
}
