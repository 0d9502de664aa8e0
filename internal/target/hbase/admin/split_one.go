package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

const (
	splitEvery = 200 * time.Millisecond
	// splitWithin is how long a server of HBase 1 gets to split the next region that it was asked to split. It reports neither
	// progress nor a refusal.
	splitWithin = 15 * time.Second
)

// splitOnServers has the region servers of HBase 1 split regions of a table, at a key or where they pick, and waits until
// hbase:meta has the new regions. It returns how many were split.
func (c *Client) splitOnServers(ctx context.Context, r release, regions []Region, key []byte) (int, error) {
	if len(key) == 0 {
		key = nil // an empty split point would be taken as one
	}
	for _, region := range regions {
		if key != nil && (!region.holds(key) || bytes.Equal(key, region.StartKey)) {
			return 0, fmt.Errorf("split region %s: key %q is not inside it: want one above %q and below %q", region.Encoded, key, region.StartKey, region.EndKey)
		}
	}
	for _, region := range regions {
		err := c.atServer(region, func(at endpoint, region Region) error {
			return c.ask(ctx, at, "SplitRegion", &hbasepb.SplitRegionRequest{Region: region.specifier(), SplitPoint: key}, &hbasepb.SplitRegionResponse{})
		})
		if err != nil {
			return 0, fmt.Errorf("split region %s of table %s: %w", region.Encoded, region.Table, unknownUnlessAnswered(err))
		}
	}
	left, err := c.awaitSplits(ctx, regions)
	done := len(regions) - len(left)
	switch {
	case err != nil:
		return done, fmt.Errorf("%w: %d of %d regions of table %s are not split: %w", ErrUnknown, len(left), len(regions), regions[0].Table, err)
	case done == 0:
		which := fmt.Sprintf("none of %d regions of table %s was split", len(regions), regions[0].Table)
		if len(regions) == 1 {
			which = fmt.Sprintf("region %s of table %s was not split", regions[0].Encoded, regions[0].Table)
		}
		return 0, fmt.Errorf("%w: %s within %v, and %s does not report why: a region may have too few rows, or still reference files of an earlier split (compact first)",
			ErrUnknown, which, splitWithin, r)
	}
	return done, nil
}

// awaitSplits waits until regions are replaced by those into which they are split, and returns those that are not when nothing
// has changed for long.
func (c *Client) awaitSplits(ctx context.Context, regions []Region) (left []Region, err error) {
	table := regions[0].Table
	left = regions
	for since := time.Now(); ; {
		var now []Region
		err := c.Retry(ctx, "find the regions of table "+table, func() (err error) {
			now, err = c.Regions(ctx, table)
			return err
		})
		if err != nil {
			return left, err
		}
		still := unsplit(left, now)
		if len(still) < len(left) {
			since = time.Now()
		}
		left = still
		if len(left) == 0 || time.Since(since) > splitWithin {
			// hbase:meta has the new regions before they are open.
			cluster, err := c.Cluster(ctx)
			if err != nil && (ctx.Err() != nil || !mayPass(err)) {
				return left, err
			}
			if err == nil && cluster.moving[table] == 0 {
				return left, nil
			}
		}
		if err := wait(ctx, splitEvery); err != nil {
			return left, err
		}
	}
}

// unsplit returns the regions that a table still has.
func unsplit(regions, now []Region) []Region {
	there := make(map[string]bool, len(now))
	for _, r := range now {
		there[r.Encoded] = true
	}
	var out []Region
	for _, r := range regions {
		if there[r.Encoded] {
			out = append(out, r)
		}
	}
	return out
}

// unknownUnlessAnswered marks the error of a change whose answer was lost.
func unknownUnlessAnswered(err error) error {
	if answered(err) || errors.Is(err, ErrNotReached) || errors.Is(err, errClosed) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnknown, err)
}
