package watch

import (
	"cmp"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

const (
	// smallTable is the largest number of regions of a table of which all have a figure.
	smallTable = 32
	// maxNamed is how many regions have a figure in a run. Those of a larger table get one as they become busy.
	maxNamed = 64
	// namedAtOnce is how many regions get a figure with one status of the cluster.
	namedAtOnce = 8
	// busyRegion is how many times the average region a region is busy, to get a figure.
	busyRegion = 2
)

// tableLoads turns what region servers report about the regions of one table into figures: the requests on each server, and
// those of a bounded number of regions.
type tableLoads struct {
	prefix  string // of its regions' names
	named   map[string]bool
	servers map[string]*tableServer // by name

	now    []tableRegion // of the status that is processed
	groups []observe.Group
}

// tableServer is the part of the table on one server.
type tableServer struct {
	counts   map[string]uint64
	requests float64 // counted so far, as regions come and go
	noted    bool    // in the status that is processed
}

// tableRegion is a region in a status.
type tableRegion struct {
	start, epoch string
	at           clock.Instant
	count, grown uint64
}

func newTableLoads(table string) *tableLoads {
	return &tableLoads{prefix: table + ",", named: make(map[string]bool), servers: make(map[string]*tableServer)}
}

// note takes the report of a server at an instant.
func (t *tableLoads) note(s *admin.Server, address string, at clock.Instant) {
	own := t.servers[s.Name]
	if own == nil {
		own = &tableServer{}
	}
	next := &tableServer{noted: true, counts: make(map[string]uint64, len(own.counts)), requests: own.requests}
	for i := range s.RegionLoads {
		l := &s.RegionLoads[i]
		if !strings.HasPrefix(l.Region, t.prefix) {
			continue
		}
		r, ok := parseRegion(l.Region)
		if !ok {
			continue
		}
		one := tableRegion{start: r.start, epoch: s.Name + " " + l.Region, at: at, count: l.Reads + l.Writes}
		next.counts[l.Region] = one.count
		if before, there := own.counts[l.Region]; there && one.count > before {
			one.grown = one.count - before
			next.requests += float64(one.grown)
		}
		t.now = append(t.now, one)
	}
	t.servers[s.Name] = next
	t.groups = append(t.groups, observe.Group{Key: "table", Source: address, At: at, Epoch: s.Name, Live: true, Readings: []observe.Reading{
		{Name: server + "table_requests", Unit: "1/s", Kind: observe.Counter, Value: next.requests},
		{Name: server + "table_regions", Unit: "1", Value: float64(len(next.counts))},
	}})
}

// take returns the figures of a status whose servers were all noted.
func (t *tableLoads) take() []observe.Group {
	t.choose()
	out := t.groups
	for i := range t.now {
		if r := &t.now[i]; t.named[r.start] {
			out = append(out, observe.Group{
				Key: "region", Source: t.prefix + observe.Printable(r.start), At: r.at, Epoch: r.epoch, Live: true, Readings: []observe.Reading{
					{Name: "hbase.region.requests", Unit: "1/s", Kind: observe.Counter, Value: float64(r.count)},
				},
			})
		}
	}
	for name, s := range t.servers {
		if !s.noted {
			delete(t.servers, name)
		}
		s.noted = false
	}
	t.now, t.groups = t.now[:0], nil
	return out
}

// choose gives figures to regions: to all of a small table, else to the busiest.
func (t *tableLoads) choose() {
	if len(t.now) <= smallTable {
		for i := range t.now {
			t.name(t.now[i].start)
		}
		return
	}
	var all uint64
	for i := range t.now {
		all += t.now[i].grown
	}
	least := busyRegion * all / uint64(len(t.now))
	busy := slices.DeleteFunc(slices.Clone(t.now), func(r tableRegion) bool {
		return r.grown == 0 || r.grown < least || t.named[r.start]
	})
	slices.SortStableFunc(busy, func(a, b tableRegion) int { return cmp.Compare(b.grown, a.grown) })
	for _, r := range busy[:min(len(busy), namedAtOnce)] {
		t.name(r.start)
	}
}

func (t *tableLoads) name(start string) {
	if len(t.named) < maxNamed {
		t.named[start] = true
	}
}
