package admin

import (
	"context"
	"errors"
	"fmt"
	"sync"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// atOnce is how many regions of a table are worked on at a time.
const atOnce = 8

// Flush writes a table's memstores to files, region by region, and returns when that is done. Flushed is the number of regions
// that had something in memory.
func (c *Client) Flush(ctx context.Context, table string) (flushed, regions int, err error) {
	var mu sync.Mutex
	regions, err = c.eachRegion(ctx, table, func(at endpoint, r Region) error {
		response := &hbasepb.FlushRegionResponse{}
		if err := c.ask(ctx, at, "FlushRegion", &hbasepb.FlushRegionRequest{Region: r.specifier()}, response); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if response.GetFlushed() {
			flushed++
		}
		return nil
	})
	if err != nil {
		return flushed, regions, fmt.Errorf("flush table %s: %w", table, err)
	}
	return flushed, regions, nil
}

// Compact requests a compaction of every region of a table, of all files of each store into one if major. The servers do it in
// the background: Compacted waits for its end.
func (c *Client) Compact(ctx context.Context, table string, major bool) (regions int, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.CallTimeout)
	defer cancel()
	regions, err = c.eachRegion(ctx, table, func(at endpoint, r Region) error {
		return c.ask(ctx, at, "CompactRegion", &hbasepb.CompactRegionRequest{Region: r.specifier(), Major: &major}, &hbasepb.CompactRegionResponse{})
	})
	if err != nil {
		return regions, fmt.Errorf("compact table %s: %w", table, err)
	}
	return regions, nil
}

// serving lists the regions of a table, and fails if the table is disabled.
func (c *Client) serving(ctx context.Context, table string) ([]Region, error) {
	regions, err := c.Regions(ctx, table)
	if err != nil {
		return nil, err
	}
	switch state, err := c.State(ctx, table); {
	case err != nil:
		return nil, err
	case state == Disabled || state == Disabling:
		return nil, ErrDisabled
	}
	return regions, nil
}

// eachRegion calls do for every region of a table, several at a time. If the region has moved or its server is lost, it finds
// the region again and repeats the call, until the context ends; so do must be safe to repeat.
func (c *Client) eachRegion(ctx context.Context, table string, do func(endpoint, Region) error) (int, error) {
	regions, err := c.serving(ctx, table)
	if err != nil {
		return 0, err
	}
	return len(regions), c.eachOf(ctx, table, regions, do)
}

// eachOf is eachRegion for some regions of a table.
func (c *Client) eachOf(ctx context.Context, table string, regions []Region, do func(endpoint, Region) error) error {
	var work sync.WaitGroup
	free := make(chan struct{}, atOnce)
	errs := make([]error, len(regions))
	waiting := c.progress("reach all regions of table " + table)
	for i, r := range regions {
		free <- struct{}{}
		work.Go(func() {
			defer func() { <-free }()
			errs[i] = c.atRegion(ctx, r, waiting, do)
		})
	}
	work.Wait()
	return errors.Join(errs...)
}

func (c *Client) atRegion(ctx context.Context, r Region, waiting *progress, do func(endpoint, Region) error) error {
	pause := firstPatience
	for {
		err := c.atServer(r, do)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil, !mayPass(err):
			return fmt.Errorf("region %s: %w", r.Encoded, err)
		}
		waiting.note(ctx, err)
		if late := wait(ctx, pause); late != nil {
			return fmt.Errorf("region %s: %w (%w)", r.Encoded, err, late)
		}
		pause = min(2*pause, lastPatience)
		found, gone := c.sameRegion(ctx, r)
		switch {
		case gone != nil && (ctx.Err() != nil || !mayPass(gone)):
			return fmt.Errorf("region %s: %w", r.Encoded, errors.Join(err, gone))
		case gone != nil:
			continue
		}
		if found.Encoded != r.Encoded {
			return nil // it was split or merged: its successors are new
		}
		r = found
	}
}

var errClosed = errors.New("the region is not open")

func (*Client) atServer(r Region, do func(endpoint, Region) error) error {
	if r.Server == "" {
		return errClosed
	}
	at, err := serverAddress(r.Server)
	if err != nil {
		return err
	}
	return do(endpoint{adminService, at}, r)
}

// sameRegion returns the current state of a region, or an empty Region if it was split or merged.
func (c *Client) sameRegion(ctx context.Context, r Region) (Region, error) {
	now, err := c.RegionOf(ctx, r.Table, r.StartKey)
	if err != nil || now.Offline || now.Encoded != r.Encoded {
		return Region{}, err
	}
	return now, nil
}

// find returns the region with an encoded or full name.
func (c *Client) find(ctx context.Context, region string) (Region, error) {
	all, err := c.meta(ctx, nil, nil)
	if err != nil {
		return Region{}, fmt.Errorf("find region %s: %w", region, err)
	}
	for _, r := range all {
		if (r.Encoded == region || r.Name == region) && !r.Offline {
			return r, nil
		}
	}
	return Region{}, fmt.Errorf("no region %s: want an encoded name that `benchctl admin hbase regions TABLE` lists", region)
}

// Move moves a region to a server, HOST,PORT,STARTCODE, or to one that the master picks, and returns that server's name when
// the region is open there.
func (c *Client) Move(ctx context.Context, region, server string) (string, error) {
	r, err := c.find(ctx, region)
	if err != nil {
		return "", err
	}
	request := &hbasepb.MoveRegionRequest{Region: &hbasepb.RegionSpecifier{
		Type: hbasepb.RegionSpecifierType_REGION_SPECIFIER_TYPE_ENCODED_REGION_NAME.Enum(), Value: []byte(r.Encoded),
	}}
	if server != "" {
		name, err := c.serverNamed(ctx, server)
		if err != nil {
			return "", err
		}
		server, request.DestServerName = serverName(name), name
		if server == r.Server {
			return server, nil
		}
	}
	if err := c.change(ctx, "MoveRegion", request, &hbasepb.MoveRegionResponse{}); err != nil {
		return "", fmt.Errorf("move region %s: %w", r.Encoded, err)
	}
	return c.moved(ctx, r, server)
}

// moved waits until a region is open, at a server if one is named.
func (c *Client) moved(ctx context.Context, r Region, server string) (string, error) {
	leaves, err := c.leaves(ctx, server)
	if err != nil {
		return "", fmt.Errorf("%w: move region %s: %w", ErrUnknown, r.Encoded, err)
	}
	for {
		now, err := c.sameRegion(ctx, r)
		switch {
		case err != nil:
			return "", fmt.Errorf("%w: move region %s: %w", ErrUnknown, r.Encoded, err)
		case leaves && now.Server == r.Server: // not yet
		case now.open() && (server == "" || now.Server == server):
			return now.Server, nil
		}
		if err := wait(ctx, openEvery); err != nil {
			return now.Server, fmt.Errorf("move region %s to %s: its server is %q and its state %s: %w", r.Encoded, server, now.Server, now.State, err)
		}
	}
}

// leaves reports whether a region that is moved to no particular server is open only when it is on another one. HBase 1 moves it
// after its answer, and hbase:meta names the old server until then.
func (c *Client) leaves(ctx context.Context, server string) (bool, error) {
	if server != "" {
		return false, nil
	}
	r, err := c.release(ctx)
	if err != nil || !r.isOne() {
		return false, err
	}
	cluster, err := c.Cluster(ctx)
	return len(cluster.Servers) > 1, err
}
