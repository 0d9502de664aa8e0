package hbase

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// region is a part of the table with its server.
type region struct {
	start, stop []byte // stop is empty for the last
	name        string
	field       []byte // names it in a request
	server      *server
	stale       atomic.Bool // it has moved
	looked      time.Time   // when it was last looked up; guarded by regionCache.mu
	replicas    []*region   // those that are open, if they are asked
	replica     bool        // it is one of them
}

func (r *region) holds(key []byte) bool {
	return bytes.Compare(r.start, key) <= 0 && (len(r.stop) == 0 || bytes.Compare(key, r.stop) < 0)
}

// overlaps reports whether two regions have keys in common, so that one of them no longer exists.
func (r *region) overlaps(other *region) bool { return r.holds(other.start) || other.holds(r.start) }

// Place is a region as hbase:meta records it.
type Place struct {
	Name        string
	Start, Stop []byte
	Addr        string // host:port of its server; empty if it is not open
	// Replicas are the addresses of its other replicas from 1, empty for one that is not open; only for timeline-consistent reads.
	Replicas []string
}

// Locator finds regions in hbase:meta.
type Locator interface {
	// Table lists the regions of the table.
	Table(ctx context.Context) ([]Place, error)
	// Row returns the region that holds a key.
	Row(ctx context.Context, key []byte) (Place, error)
}

const (
	// pauseBetween is the shortest time between two look-ups of the same region.
	pauseBetween = 20 * time.Millisecond
	// maxLooks is how many look-ups run at the same time.
	maxLooks = 8
)

// regionCache caches the servers of regions. Finding a region takes no lock. A region that has moved is looked up alone, once for
// all workers that need it.
type regionCache struct {
	locator Locator
	server  func(addr string) *server
	regions atomic.Pointer[[]*region] // in the order of their keys, without overlaps

	ctx  context.Context //nolint:containedctx // of look-ups, each for several operations; close ends it
	end  context.CancelFunc
	work sync.WaitGroup
	gate chan struct{} // held by the one goroutine that reads the whole table
	slot chan struct{} // limits look-ups under way

	mu    sync.Mutex
	looks map[*region]*look // under way, by the region that has moved; nil for keys of no known region
	count atomic.Int64
}

// look is a look-up under way.
type look struct {
	done chan struct{}
	err  error // valid once done is closed
}

func newRegionCache(locator Locator, server func(addr string) *server) *regionCache {
	c := &regionCache{
		locator: locator, server: server, gate: make(chan struct{}, 1), slot: make(chan struct{}, maxLooks), looks: make(map[*region]*look),
	}
	c.ctx, c.end = context.WithCancel(context.Background())
	c.regions.Store(new([]*region))
	return c
}

// close ends the look-ups under way.
func (c *regionCache) close() {
	c.mu.Lock()
	c.end()
	c.mu.Unlock()
	c.work.Wait()
}

// size returns how many regions are known.
func (c *regionCache) size() int { return len(*c.regions.Load()) }

// cover returns the last known region of a key, or nil.
func (c *regionCache) cover(key []byte) *region {
	regions := *c.regions.Load()
	low, high := 0, len(regions)
	for low < high {
		if mid := int(uint(low+high) >> 1); bytes.Compare(regions[mid].start, key) <= 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == 0 {
		return nil
	}
	if r := regions[low-1]; r.holds(key) {
		return r
	}
	return nil
}

// find returns the region of a key, or nil if it is unknown or has moved.
func (c *regionCache) find(key []byte) *region {
	if r := c.cover(key); r != nil && !r.stale.Load() {
		return r
	}
	return nil
}

// look finds the region of a key, by a look-up if necessary.
func (c *regionCache) look(ctx context.Context, key []byte) (*region, error) {
	for {
		l, r := c.begin(key)
		if r != nil {
			return r, nil
		}
		select {
		case <-l.done:
			if l.err != nil {
				return nil, l.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// begin returns the region of a key, or a look-up of it.
func (c *regionCache) begin(key []byte) (*look, *region) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.find(key); r != nil {
		return nil, r
	}
	known := c.cover(key)
	l := c.looks[known]
	if l == nil {
		if err := c.ctx.Err(); err != nil {
			l = &look{done: make(chan struct{}), err: err}
			close(l.done)
			return l, nil
		}
		var pause time.Duration
		if known != nil {
			pause = pauseBetween - time.Since(known.looked)
		}
		l = c.launch(known, key, pause)
	}
	return l, nil
}

// launch begins a look-up. The caller holds mu.
func (c *regionCache) launch(known *region, key []byte, pause time.Duration) *look {
	l := &look{done: make(chan struct{})}
	c.looks[known] = l
	key = bytes.Clone(key)
	c.work.Go(func() { c.carry(l, known, key, pause) })
	return l
}

// carry carries out a look-up. Known is the region that has moved, or nil.
func (c *regionCache) carry(l *look, known *region, key []byte, pause time.Duration) {
	p, err := c.ask(key, pause)
	c.mu.Lock()
	defer c.mu.Unlock()
	if known != nil {
		known.looked = time.Now()
	}
	r := c.region(p)
	switch {
	case err != nil:
		l.err = err
	case r == nil || !r.holds(key):
		l.err = fmt.Errorf("%w: the region that holds key %q", errNotOpen, key)
	default:
		c.put(r)
	}
	delete(c.looks, known)
	close(l.done)
}

// ask locates a key after a pause.
func (c *regionCache) ask(key []byte, pause time.Duration) (Place, error) {
	if err := sleep(c.ctx, pause); err != nil {
		return Place{}, err
	}
	select {
	case c.slot <- struct{}{}:
	case <-c.ctx.Done():
		return Place{}, c.ctx.Err()
	}
	defer func() { <-c.slot }()
	c.count.Add(1)
	return c.locator.Row(c.ctx, key)
}

// region returns the region of a place, or nil if it is not open.
func (c *regionCache) region(p Place) *region {
	if p.Addr == "" {
		return nil
	}
	return &region{
		start: p.Start, stop: p.Stop, name: p.Name, field: regionField([]byte(p.Name)), server: c.server(p.Addr), looked: time.Now(),
		replicas: c.replicas(p),
	}
}

// put replaces the regions that overlap r, which are neighbours. The caller holds mu.
func (c *regionCache) put(r *region) {
	before := *c.regions.Load()
	from, to := sort.Search(len(before), func(i int) bool { return bytes.Compare(before[i].start, r.start) > 0 }), len(before)
	if len(r.stop) > 0 {
		to = max(from, sort.Search(len(before), func(i int) bool { return bytes.Compare(before[i].start, r.stop) >= 0 }))
	}
	for from > 0 && before[from-1].overlaps(r) {
		from--
	}
	regions := make([]*region, 0, len(before)-(to-from)+1)
	regions = append(append(regions, before[:from]...), r)
	regions = append(regions, before[to:]...)
	c.regions.Store(&regions)
}

func order(x, y *region) int {
	return cmp.Or(bytes.Compare(x.start, y.start), cmp.Compare(x.name, y.name))
}

// move records the server that a region's previous server has named.
func (c *regionCache) move(r *region, addr string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cover(r.start) == r { // otherwise there is a newer entry
		c.put(&region{start: r.start, stop: r.stop, name: r.name, field: r.field, server: c.server(addr), looked: r.looked, replicas: r.replicas})
	}
}

// sleep waits unless the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read reads the places of all regions, and keeps entries that have not changed.
func (c *regionCache) read(ctx context.Context) error {
	c.count.Add(1)
	places, err := c.locator.Table(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before := make(map[string]*region, len(*c.regions.Load()))
	for _, r := range *c.regions.Load() {
		before[r.name] = r
	}
	regions := make([]*region, 0, len(places))
	for _, p := range places {
		if r := before[p.Name]; r != nil && r.server.addr == p.Addr && !r.stale.Load() && len(p.Replicas) == 0 {
			regions = append(regions, r)
		} else if r := c.region(p); r != nil {
			regions = append(regions, r) // others are in transition, and looked up when needed
		}
	}
	slices.SortFunc(regions, order)
	c.regions.Store(&regions)
	return nil
}

// ready waits until a region of the table is open, as the table may not be created yet. It ends when check returns an error.
func (c *regionCache) ready(ctx context.Context, check func() error) error {
	select {
	case c.gate <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.gate }()
	for {
		if c.size() > 0 {
			return nil
		}
		err := c.read(ctx)
		if err == nil && c.size() > 0 {
			return nil
		}
		if err := check(); err != nil {
			return err
		}
		const pause = 200 * time.Millisecond
		if sleep(ctx, pause) != nil {
			return cmp.Or(err, errNotOpen)
		}
	}
}
