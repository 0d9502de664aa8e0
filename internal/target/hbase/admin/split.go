package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// Split splits one region, at a key or where its server suggests, and returns when it is split.
func (c *Client) Split(ctx context.Context, region string, key []byte) error {
	found, err := c.find(ctx, region)
	if err != nil {
		return err
	}
	r, err := c.release(ctx)
	switch {
	case err != nil:
		return err
	case r.isOne():
		_, err = c.splitOnServers(ctx, r, []Region{found}, key)
		return err
	}
	return c.split(ctx, found, key)
}

// SplitTable splits every region of a table that can be split, each where its server suggests; or with a key only the region
// that holds it. It returns how many regions were split.
func (c *Client) SplitTable(ctx context.Context, table string, key []byte) (int, error) {
	regions, err := c.Regions(ctx, table)
	if err != nil {
		return 0, err
	}
	if len(key) > 0 {
		regions = slices.DeleteFunc(regions, func(r Region) bool { return !r.holds(key) })
	}
	release, err := c.release(ctx)
	switch {
	case err != nil:
		return 0, err
	case release.isOne():
		return c.splitOnServers(ctx, release, regions, key)
	}
	done := 0
	for _, r := range regions {
		switch err := c.split(ctx, r, key); {
		case errors.Is(err, errNoSplitPoint) && len(key) == 0:
		case err != nil:
			return done, err
		default:
			done++
		}
	}
	if done == 0 {
		return 0, fmt.Errorf("split table %s: %w", table, errNoSplitPoint)
	}
	return done, nil
}

// holds reports whether a key is in the region.
func (r Region) holds(key []byte) bool {
	return string(key) >= string(r.StartKey) && (len(r.EndKey) == 0 || string(key) < string(r.EndKey))
}

var errNoSplitPoint = errors.New("no region has a split point: it has too few rows on disk (flush first) or still references files of an earlier split (compact first); or give a key")

func (c *Client) split(ctx context.Context, r Region, key []byte) error {
	if len(key) == 0 {
		var err error
		if key, err = c.bestSplit(ctx, r); err != nil {
			return fmt.Errorf("split region %s: %w", r.Encoded, err)
		}
	}
	response := &hbasepb.SplitTableRegionResponse{}
	err := c.change(ctx, "SplitRegion", &hbasepb.SplitTableRegionRequest{RegionInfo: r.info(), SplitRow: key}, response)
	if err == nil {
		err = c.procedure(ctx, response.GetProcId())
	}
	if err != nil {
		return fmt.Errorf("split region %s of table %s: %w", r.Encoded, r.Table, err)
	}
	return nil
}

// bestSplit returns the split point that a region's server suggests.
func (c *Client) bestSplit(ctx context.Context, r Region) ([]byte, error) {
	response := &hbasepb.GetRegionInfoResponse{}
	err := c.atServer(r, func(at endpoint, r Region) error {
		return c.ask(ctx, at, "GetRegionInfo", &hbasepb.GetRegionInfoRequest{Region: r.specifier(), BestSplitRow: new(true)}, response)
	})
	switch {
	case err != nil:
		return nil, err
	case len(response.GetBestSplitRow()) == 0:
		return nil, errNoSplitPoint
	}
	return response.GetBestSplitRow(), nil
}
