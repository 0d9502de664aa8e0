package watch

import (
	"fmt"
	"maps"
	"slices"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/sequoiadb/wire"
)

// node is what the last snapshot said about a node.
type node struct {
	group, epoch     string
	primary, serving bool
}

// nodes are the nodes of the last snapshot; nil before the first.
type nodes map[string]node

// compare returns what has happened since the last snapshot.
func (n *nodes) compare(database []wire.Document, at clock.Instant) (events []observe.Event) {
	now := make(nodes)
	for _, d := range limited(database) {
		if name := d.Text("NodeName"); name != "" {
			primary, _ := d.Bool("IsPrimary")
			serving, known := d.Bool("ServiceStatus")
			now[name] = node{group: d.Text("GroupName"), epoch: epochOf(d), primary: primary, serving: serving || !known}
		}
	}
	before := *n
	*n = now
	if before == nil {
		return nil
	}
	add := func(format string, args ...any) {
		events = append(events, observe.Event{At: at, Kind: result.HappenedServer, Text: fmt.Sprintf(format, args...)})
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		is := now[name]
		was, known := before[name]
		switch {
		case !known:
			add("node %s has joined: %d now", name, len(now))
		case was.epoch != is.epoch:
			add("node %s was restarted", name)
		case was.serving && !is.serving:
			add("node %s does not serve", name)
		case !was.serving && is.serving:
			add("node %s serves again", name)
		}
		if known && is.primary && !was.primary {
			add("node %s has become the primary of group %s", name, is.group)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, left := now[name]; !left {
			add("node %s is lost: %d left", name, len(now))
		}
	}
	return events
}
