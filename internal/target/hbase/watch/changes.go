package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

const (
	// quietFor is how long there must be no sign of a compaction or flush before that activity has ended.
	quietFor = 12 * time.Second
	// maxRegions is how many regions are remembered; a larger cluster is not watched for splits.
	maxRegions = 200_000
	// siblingWithin is how long a region that may be half of a split waits for the other half.
	siblingWithin = time.Minute
)

// changes derives events from successive reads of a cluster.
type changes struct {
	begun   bool
	servers map[string]string   // address → name
	count   int                 // of regions
	regions map[string]region   // by name, all ever seen
	starts  map[region]string   // the newest region at each start key, by table and start
	made    map[region][]string // regions that were created together, by table and id
	pending map[string]half     // regions whose sibling was not seen yet
	files   map[string]int      // store files by region

	compaction, flush activity
	grown             map[string]float64 // the last values of counters, by source and name
	out               []observe.Event
}

// region is a parsed region name.
type region struct{ table, start, id string }

type half struct {
	region
	of   string // the parent's encoded name
	seen clock.Instant
}

// activity is something that goes on for a while on some servers.
type activity struct {
	kind, begins, one, many string
	begun, last             clock.Instant
	servers                 map[string]bool
	done, bytes             float64
}

func newChanges() *changes {
	return &changes{
		servers: make(map[string]string), regions: make(map[string]region), starts: make(map[region]string),
		made: make(map[region][]string), pending: make(map[string]half),
		files: make(map[string]int), grown: make(map[string]float64),
		compaction: activity{kind: result.HappenedCompaction, begins: "compaction begins", one: "compaction", many: "compactions"},
		flush:      activity{kind: result.HappenedFlush, one: "flush", many: "flushes"},
	}
}

// take returns the events since the last call.
func (c *changes) take(now clock.Instant) []observe.Event {
	c.compaction.settle(now, c)
	c.flush.settle(now, c)
	for name, h := range c.pending {
		if now.Sub(h.seen) > siblingWithin {
			delete(c.pending, name) // it was merged, or its table was created again
		}
	}
	out := c.out
	c.out = nil
	return out
}

// cluster compares the status of the cluster with the previous one.
func (c *changes) cluster(now *admin.Cluster, at clock.Instant) {
	c.compareServers(now, at)
	count, all := 0, 0
	for i := range now.Servers {
		count += now.Servers[i].Regions
		all += len(now.Servers[i].RegionLoads)
	}
	if all+len(c.regions) <= maxRegions {
		c.compareRegions(now, at, count)
	} else {
		clear(c.regions)
		clear(c.starts)
		clear(c.made)
	}
	c.count = count
	c.begun = true
}

func (c *changes) compareServers(now *admin.Cluster, at clock.Instant) {
	there := make(map[string]string, len(now.Servers))
	for i := range now.Servers {
		name := now.Servers[i].Name
		there[addressOf(name)] = name
	}
	if c.begun {
		for _, address := range sortedKeys(there) {
			switch before := c.servers[address]; {
			case before == "":
				c.event(result.HappenedServer, at, "region server %s has joined: %d now", address, len(there))
			case before != there[address]:
				c.event(result.HappenedServer, at, "region server %s was restarted", address)
			}
		}
		for _, address := range sortedKeys(c.servers) {
			if there[address] == "" {
				c.event(result.HappenedServer, at, "region server %s is lost: %d left", address, len(there))
			}
		}
	}
	c.servers = there
}

// compareRegions looks for splits and, on servers without JMX, for flushes and compactions.
func (c *changes) compareRegions(now *admin.Cluster, at clock.Instant, count int) {
	files := make(map[string]int, len(c.files))
	begun := len(c.regions) > 0 // otherwise all are new to us
	for i := range now.Servers {
		s := &now.Servers[i]
		address := addressOf(s.Name)
		for k := range s.RegionLoads {
			l := &s.RegionLoads[k]
			files[l.Region] = l.Files
			if l.Compacting {
				c.compaction.note(c, at, address, 0, 0)
			}
			if before, known := c.files[l.Region]; known && l.Files > before && !c.hasCounters(address) {
				c.flush.note(c, at, address, float64(l.Files-before), 0)
			}
			if _, known := c.regions[l.Region]; !known {
				c.see(l.Region, at, begun)
			}
		}
	}
	c.files = files
	for _, name := range sortedKeys(c.pending) {
		h := c.pending[name]
		twins := c.made[region{table: h.table, id: h.id}]
		if len(twins) != 2 { // a table that was created again has more
			continue
		}
		other := twins[0]
		if other == name {
			other = twins[1]
		}
		delete(c.pending, name)
		c.event(result.HappenedSplit, h.seen, "a region of %s was split at %s: %s into %s and %s (%d regions, %d before)",
			h.table, observe.Printable(max(h.start, c.regions[other].start)), h.of, encoded(name), encoded(other), count, c.count)
	}
}

// see remembers a new region. It may be half of an older region with the same start key.
func (c *changes) see(name string, at clock.Instant, begun bool) {
	r, ok := parseRegion(name)
	if !ok {
		return
	}
	c.regions[name] = r
	made := region{table: r.table, id: r.id}
	c.made[made] = append(c.made[made], name)
	place := region{table: r.table, start: r.start}
	before := c.starts[place]
	if before == "" || older(c.regions[before].id, r.id) {
		c.starts[place] = name
		if before != "" && begun {
			c.pending[name] = half{r, encoded(before), at}
		}
	}
}

// older compares the ids of regions, which are their creation times in milliseconds.
func older(a, b string) bool { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) < 0 }

// parseRegion reads table,start,id.encoded. — the start may have commas in it.
func parseRegion(name string) (region, bool) {
	table, rest, ok := strings.Cut(name, ",")
	comma := strings.LastIndexByte(rest, ',')
	if !ok || comma < 0 {
		return region{}, false
	}
	id, _, _ := strings.Cut(rest[comma+1:], ".")
	id, _, _ = strings.Cut(id, "_") // of a replica
	return region{table, rest[:comma], id}, id != ""
}

// encoded returns a region's encoded name.
func encoded(name string) string {
	name = strings.TrimSuffix(name, ".")
	return name[strings.LastIndexByte(name, '.')+1:]
}

// hasCounters reports whether a server's JMX has a counter of flushes.
func (c *changes) hasCounters(address string) bool {
	_, ok := c.grown[address+" "+server+"flushes"]
	return ok
}

// counters looks for flushes and compactions in a server's JMX counters.
func (c *changes) counters(g *observe.Group) {
	if g.Key != "jmx "+serverBeanKey {
		return
	}
	var flushes, flushed, compactions, compacted, queue float64
	for i := range g.Readings {
		r := &g.Readings[i]
		switch r.Name {
		case server + "flushes":
			flushes = c.growth(g, r)
		case server + "flushed":
			flushed = c.growth(g, r)
		case server + "compactions":
			compactions = c.growth(g, r)
		case server + "compacted":
			compacted = c.growth(g, r)
		case server + "compaction_queue":
			queue = r.Value
		}
	}
	if flushes > 0 {
		c.flush.note(c, g.At, g.Source, flushes, flushed)
	}
	if compactions > 0 || queue > 0 {
		c.compaction.note(c, g.At, g.Source, compactions, compacted)
	}
}

// growth returns how much a counter has grown since it was last seen.
func (c *changes) growth(g *observe.Group, r *observe.Reading) float64 {
	key := g.Source + " " + r.Name
	before, known := c.grown[key]
	c.grown[key] = r.Value
	if !known || r.Value < before {
		return 0
	}
	return r.Value - before
}

func (c *changes) event(kind string, at clock.Instant, format string, args ...any) {
	c.out = append(c.out, observe.Event{At: at, Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// note records a sign of an activity on a server.
func (a *activity) note(c *changes, at clock.Instant, address string, done, bytes float64) {
	if a.begun.IsZero() {
		a.begun, a.servers, a.done, a.bytes = at, make(map[string]bool), 0, 0
		if a.begins != "" {
			c.event(a.kind, at, "%s on %s", a.begins, address)
		}
	}
	a.last = at
	a.servers[address] = true
	a.done += done
	a.bytes += bytes
}

// settle reports an activity that has ended.
func (a *activity) settle(now clock.Instant, c *changes) {
	if a.begun.IsZero() || now.Sub(a.last) < quietFor {
		return
	}
	where := fmt.Sprintf("%d servers", len(a.servers))
	if len(a.servers) == 1 {
		where = sortedKeys(a.servers)[0]
	}
	what := fmt.Sprintf("%.0f %s", a.done, a.many)
	if a.done == 1 {
		what = "1 " + a.one
	}
	size := ""
	if a.bytes > 0 {
		size = fmt.Sprintf(", %.1f MB", a.bytes/mega)
	}
	took := a.last.Sub(a.begun).Seconds()
	if a.begins != "" {
		text := fmt.Sprintf("%s on %s after %.0f s", result.CompactionEnds, where, took)
		if a.done > 0 {
			text += ": " + what + size
		}
		c.event(a.kind, a.last, "%s", text)
	} else {
		c.event(a.kind, a.begun, "%s on %s within %.0f s%s", what, where, took, size)
	}
	a.begun = clock.Instant{}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
