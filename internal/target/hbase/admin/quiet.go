package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Unrest is the background work that the cluster has yet to do.
type Unrest struct {
	InTransition int // regions
	Compacting   int // regions whose files are being compacted now
	Compactions  int // in queues
	Flushes      int // in queues
	Splits       int // in queues
	// Gaps has an error for each server whose queues could not be read. Their compactions are still counted.
	Gaps []string

	// requests has the requests of each server whose queues were read (see Queues), and with HBase 1 the times of the reports to
	// the master: both change when their figures are renewed.
	requests map[string]int64
}

func (u Unrest) quiet() bool {
	return u.InTransition == 0 && u.Compacting == 0 && u.Compactions == 0 && u.Flushes == 0 && u.Splits == 0
}

func (u Unrest) String() string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(u.InTransition, "regions in transition")
	add(u.Compacting, "regions compacting")
	add(u.Compactions, "compactions queued")
	add(u.Flushes, "flushes queued")
	add(u.Splits, "splits queued")
	if len(parts) == 0 {
		return "quiet"
	}
	return strings.Join(parts, ", ")
}

// Unrest checks once. The master reports regions in transition without delay, and each region server its compactions; with
// HBase 1 these come from the servers' last reports to the master. The queues come from the servers' info pages. Figures of
// reports and pages can be some seconds old.
func (c *Client) Unrest(ctx context.Context) (Unrest, error) {
	cluster, err := c.Cluster(ctx)
	if err != nil {
		return Unrest{}, err
	}
	u := Unrest{InTransition: cluster.InTransition, requests: make(map[string]int64)}
	var mu sync.Mutex
	var first error
	var work sync.WaitGroup
	for _, s := range cluster.Servers {
		work.Go(func() {
			loads, err := s.RegionLoads, error(nil)
			if !release(cluster.Version).isOne() {
				loads, err = c.loads(ctx, s.Name)
			}
			queues, gap := c.Queues(ctx, s)
			mu.Lock()
			defer mu.Unlock()
			if release(cluster.Version).isOne() {
				u.requests["report of "+s.Name] = s.Reported.UnixNano()
			}
			if err != nil && first == nil {
				first = fmt.Errorf("read compactions of %s: %w", s.Name, err)
			}
			for _, l := range loads {
				if l.Compacting {
					u.Compacting++
				}
			}
			if gap != nil {
				u.Gaps = append(u.Gaps, oneLine(gap))
				return
			}
			u.Compactions += queues.Compactions
			u.Flushes += queues.Flushes
			u.Splits += queues.Splits
			u.requests[s.Name] = queues.Requests
		})
	}
	work.Wait()
	slices.Sort(u.Gaps)
	return u, first
}

const (
	// quietEvery is the time between two checks.
	quietEvery = 500 * time.Millisecond
	// quietLooks is how many checks in a row must find nothing: for an instant between two compactions of a queue there is
	// none.
	quietLooks = 4
	// refreshWithin is after how long unchanged figures of a server's info pages are taken as current: the servers cache
	// them for 10 s.
	refreshWithin = 12 * time.Second
)

// Quiet waits until no background work is left: no region in transition, no compaction, all queues empty, in several checks
// in a row, and by figures that are younger than the first of them. It returns the last check. Seen, if not nil, is called
// with each.
func (c *Client) Quiet(ctx context.Context, seen func(Unrest)) (Unrest, error) {
	var since time.Time // the first quiet check of the row
	var first map[string]int64
	fresh := make(map[string]bool)
	looks := 0
	blind := c.progress("check whether the cluster is quiet")
	for {
		u, err := c.Unrest(ctx)
		if err != nil {
			if ctx.Err() != nil || !mayPass(err) {
				return u, fmt.Errorf("wait for quiet: %w", err)
			}
			blind.note(ctx, err) // a server that has just died, perhaps
		} else if seen != nil {
			seen(u)
		}
		switch {
		case err != nil || !u.quiet():
			looks, first = 0, nil
			clear(fresh)
		case looks == 0:
			looks, since, first = 1, time.Now(), u.requests
		default:
			looks++
		}
		for server, n := range u.requests {
			if looks > 1 && n != first[server] {
				fresh[server] = true
			}
		}
		if looks >= quietLooks && (len(fresh) == len(u.requests) || time.Since(since) > refreshWithin) {
			return u, nil
		}
		if late := wait(ctx, quietEvery); late != nil {
			return u, fmt.Errorf("wait for quiet: %s: %w", u, late)
		}
	}
}
