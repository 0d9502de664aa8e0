package hbase

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// region is a part of the table, and where it is served.
type region struct {
	start, stop []byte // stop is empty for the last
	name        string
	field       []byte // that names it in a request
	server      *server
	stale       atomic.Bool // it was found to be elsewhere
}

func (r *region) holds(key []byte) bool {
	return bytes.Compare(r.start, key) <= 0 && (len(r.stop) == 0 || bytes.Compare(key, r.stop) < 0)
}

// Place is a region as hbase:meta tells of it.
type Place struct {
	Name        string
	Start, Stop []byte
	Addr        string // host:port of its server; empty where it is not open
}

// Locate lists the regions of the table, in the order of their keys.
type Locate func(ctx context.Context) ([]Place, error)

// pauseBetween is the least time between two looks into hbase:meta: when a server is lost all of its regions are
// found to be elsewhere at once, and one look tells of all of them.
const pauseBetween = 20 * time.Millisecond

// atlas knows where the regions are. Finding one takes no lock; the whole is read anew when one was elsewhere.
type atlas struct {
	locate Locate
	server func(addr string) *server
	pages  atomic.Pointer[[]*region]

	gate  chan struct{} // one look at a time; waiting for it obeys contexts
	mu    sync.Mutex
	last  time.Time // when the last look began
	looks atomic.Int64
}

func newAtlas(locate Locate, server func(addr string) *server) *atlas {
	a := &atlas{locate: locate, server: server, gate: make(chan struct{}, 1)}
	a.pages.Store(new([]*region))
	return a
}

// find returns the region that holds a key, or nil where that is not known.
func (a *atlas) find(key []byte) *region {
	regions := *a.pages.Load()
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
	if r := regions[low-1]; !r.stale.Load() && r.holds(key) {
		return r
	}
	return nil
}

// look finds out where the region is that holds a key.
func (a *atlas) look(ctx context.Context, key []byte) (*region, error) {
	select {
	case a.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-a.gate }()
	if r := a.find(key); r != nil {
		return r, nil // somebody else has looked meanwhile
	}
	if err := a.pause(ctx); err != nil {
		return nil, err
	}
	if err := a.read(ctx); err != nil {
		return nil, err
	}
	if r := a.find(key); r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("%w: the region that holds key %q", errNotOpen, key)
}

func (a *atlas) pause(ctx context.Context) error {
	a.mu.Lock()
	left := pauseBetween - time.Since(a.last)
	a.mu.Unlock()
	return sleep(ctx, left)
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

// read reads where all regions are. What has not changed is kept.
func (a *atlas) read(ctx context.Context) error {
	a.looks.Add(1)
	a.mu.Lock()
	a.last = time.Now()
	a.mu.Unlock()
	places, err := a.locate(ctx)
	if err != nil {
		return err
	}
	before := make(map[string]*region, len(*a.pages.Load()))
	for _, r := range *a.pages.Load() {
		before[r.name] = r
	}
	regions := make([]*region, 0, len(places))
	for _, p := range places {
		if p.Addr == "" {
			continue // in transition; whoever wants it asks again
		}
		if r := before[p.Name]; r != nil && r.server.addr == p.Addr && !r.stale.Load() {
			regions = append(regions, r)
			continue
		}
		regions = append(regions, &region{
			start: p.Start, stop: p.Stop, name: p.Name, field: regionField([]byte(p.Name)), server: a.server(p.Addr),
		})
	}
	slices.SortFunc(regions, func(x, y *region) int {
		return cmp.Or(bytes.Compare(x.start, y.start), cmp.Compare(x.name, y.name))
	})
	a.pages.Store(&regions)
	return nil
}
