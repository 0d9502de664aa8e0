package admin

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// countRows is how many rows one answer of a count holds. Each row has only its first key.
const countRows = 10_000

// Count counts a table's rows by reading the first key of each, several regions at a time. When a region moves or splits, the
// count continues after the last row that was read, so every row counts once.
func (c *Client) Count(ctx context.Context, table string) (uint64, error) {
	regions, err := c.serving(ctx, table)
	if err != nil {
		return 0, fmt.Errorf("count rows of table %s: %w", table, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var total atomic.Uint64
	var work sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for _, r := range regions {
		free <- struct{}{}
		work.Go(func() {
			defer func() { <-free }()
			n, err := c.countRange(ctx, r)
			total.Add(n)
			if err != nil {
				cancel(err)
			}
		})
	}
	work.Wait()
	if err := context.Cause(ctx); err != nil {
		return 0, fmt.Errorf("count rows of table %s: %w", table, err)
	}
	return total.Load(), nil
}

// countRange counts the rows between a region's keys, also when other regions have taken them over.
func (c *Client) countRange(ctx context.Context, r Region) (uint64, error) {
	var total uint64
	start, stop := r.StartKey, r.EndKey
	pause := firstPatience
	waiting := c.progress("count the rows of region " + r.Encoded)
	for {
		end := nearer(r.EndKey, stop)
		n, last, err := c.countOnce(ctx, r, start, end)
		total += n
		if last != nil {
			start = slices.Concat(last, []byte{0}) // the key that follows it
			pause = firstPatience
		}
		switch {
		case err == nil && string(end) == string(stop):
			return total, nil
		case err == nil:
			start = end // continue in the next region: this one was split
		case ctx.Err() != nil, !mayPass(err):
			return total, err
		default:
			waiting.note(ctx, err)
			if late := wait(ctx, pause); late != nil {
				return total, late
			}
			pause = min(2*pause, lastPatience)
		}
		err = c.Retry(ctx, "find the regions of table "+r.Table, func() (err error) {
			next, err := c.regionOf(ctx, r.Table, start)
			if err == nil {
				r = next
			}
			return err
		})
		if err != nil {
			return total, err
		}
	}
}

// nearer returns the smaller of two range ends. An empty end is the end of the table.
func nearer(a, b []byte) []byte {
	if len(a) == 0 || len(b) > 0 && string(b) < string(a) {
		return b
	}
	return a
}

// countOnce counts rows of one region from start to stop, and returns the last key that it has read.
func (c *Client) countOnce(ctx context.Context, r Region, start, stop []byte) (n uint64, last []byte, err error) {
	if r.Server == "" {
		return 0, nil, errClosed
	}
	at, err := serverAddress(r.Server)
	if err != nil {
		return 0, nil, err
	}
	name := "org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter"
	s := &scan{
		c: c, at: endpoint{clientService, at}, region: r.specifier(), start: start, stop: stop, rows: countRows, cold: true,
		filter: &hbasepb.Filter{Name: &name, SerializedFilter: []byte{}},
	}
	err = s.each(ctx, func(row row) error {
		n++
		last = row.key
		return nil
	})
	return n, last, err
}

// regionOf finds the region that holds a key.
func (c *Client) regionOf(ctx context.Context, table string, key []byte) (Region, error) {
	r, err := c.RegionOf(ctx, table, key)
	if err == nil && !r.holds(key) {
		err = fmt.Errorf("no region of table %s has key %q", table, key)
	}
	return r, err
}
