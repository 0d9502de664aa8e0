package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// Snapshot is a complete snapshot of a table: its descriptor, regions and cells at one time.
type Snapshot struct {
	Name    string
	Table   string
	Created time.Time
	Owner   string // the user who took it, where HBase has users
}

// ErrNoSnapshot means that there is no snapshot of that name.
var ErrNoSnapshot = errors.New("no such snapshot")

// Snapshots lists the complete snapshots of all tables by name.
func (c *Client) Snapshots(ctx context.Context) ([]Snapshot, error) {
	response := &hbasepb.GetCompletedSnapshotsResponse{}
	if err := c.query(ctx, "GetCompletedSnapshots", &hbasepb.GetCompletedSnapshotsRequest{}, response); err != nil {
		return nil, fmt.Errorf("list snapshots: %w", err)
	}
	var list []Snapshot
	for _, one := range response.GetSnapshots() {
		list = append(list, Snapshot{
			Name: one.GetName(), Table: strings.TrimPrefix(one.GetTable(), defaultNamespace+":"),
			Created: time.UnixMilli(one.GetCreationTime()), Owner: one.GetOwner(),
		})
	}
	slices.SortFunc(list, func(a, b Snapshot) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// TakeSnapshot takes a snapshot of a table, after it has written its memory to files, and waits until the snapshot is complete.
func (c *Client) TakeSnapshot(ctx context.Context, table, name string) error {
	request := &hbasepb.SnapshotRequest{Snapshot: &hbasepb.SnapshotDescription{
		Name: &name, Table: &table, Type: hbasepb.SnapshotType_SNAPSHOT_TYPE_FLUSH.Enum(),
	}}
	err := c.change(ctx, "Snapshot", request, &hbasepb.SnapshotResponse{})
	if err == nil {
		err = c.poll(ctx, "snapshot "+name, func() (bool, error) {
			response := &hbasepb.IsSnapshotDoneResponse{}
			err := c.query(ctx, "IsSnapshotDone", &hbasepb.IsSnapshotDoneRequest{Snapshot: request.GetSnapshot()}, response)
			return response.GetDone(), err
		})
	}
	if err != nil {
		return fmt.Errorf("take snapshot %s of table %s: %w", name, table, err)
	}
	return nil
}

// RestoreSnapshot gives a table the descriptor, regions and cells of a snapshot. It disables the table, waits until the
// snapshot is restored, and enables the table again. If the restore fails, the table stays disabled.
func (c *Client) RestoreSnapshot(ctx context.Context, table, name string) error {
	err := c.Disable(ctx, table)
	if err == nil {
		if err = c.restore(ctx, table, name); err == nil {
			return nil
		}
		err = fmt.Errorf("%w; the table stays disabled (benchctl admin hbase enable %s)", err, table)
	}
	return fmt.Errorf("restore snapshot %s of table %s: %w", name, table, err)
}

// restore is RestoreSnapshot for a disabled table.
func (c *Client) restore(ctx context.Context, table, name string) error {
	r, err := c.release(ctx)
	if err != nil {
		return err
	}
	snapshot := &hbasepb.SnapshotDescription{Name: &name, Table: &table}
	response := &hbasepb.RestoreSnapshotResponse{}
	if err := c.change(ctx, "RestoreSnapshot", &hbasepb.RestoreSnapshotRequest{Snapshot: snapshot}, response); err != nil {
		return err
	}
	if r.isOne() {
		err = c.poll(ctx, "the restore", func() (bool, error) {
			response := &hbasepb.IsRestoreSnapshotDoneResponse{}
			err := c.query(ctx, "IsRestoreSnapshotDone", &hbasepb.IsRestoreSnapshotDoneRequest{Snapshot: snapshot}, response)
			return response.GetDone(), err
		})
	} else {
		err = c.procedure(ctx, response.GetProcId())
	}
	if err != nil {
		return err
	}
	return c.Enable(ctx, table)
}

// DeleteSnapshot deletes a snapshot. The error is ErrNoSnapshot when there is none.
func (c *Client) DeleteSnapshot(ctx context.Context, name string) error {
	request := &hbasepb.DeleteSnapshotRequest{Snapshot: &hbasepb.SnapshotDescription{Name: &name}}
	if err := c.change(ctx, "DeleteSnapshot", request, &hbasepb.DeleteSnapshotResponse{}); err != nil {
		return fmt.Errorf("delete snapshot %s: %w", name, err)
	}
	return nil
}

// poll asks until something that the master does in the background is done. What names it.
func (*Client) poll(ctx context.Context, what string, done func() (bool, error)) error {
	pause := firstPatience
	for {
		ok, err := done()
		switch {
		case ok:
			return nil
		case answered(err): // the master reports the failure of the work by an exception
			return err
		case err != nil:
			return fmt.Errorf("%w: wait for %s: %w", ErrUnknown, what, err)
		}
		if err := wait(ctx, pause); err != nil {
			return fmt.Errorf("%w: %s has not ended: %w", ErrUnknown, what, err)
		}
		pause = min(2*pause, lastPatience)
	}
}
