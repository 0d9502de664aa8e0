package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/sandbox/meta"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// Create creates a table and assigns its regions.
func (c *Cluster) Create(t store.Table, splits [][]byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.replicate()
	regions, err := c.store.CreateTable(t, splits)
	if err != nil {
		return err
	}
	c.Meta.Update([]meta.Row{meta.TableRow(t.Name, true)})
	return c.place(nil, regions)
}

// Enable assigns a table's regions.
func (c *Cluster) Enable(name store.Name) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.replicate()
	if err := c.store.SetTableState(name, store.Enabled); err != nil {
		return err
	}
	regions, err := c.store.Regions(name)
	if err != nil {
		return err
	}
	c.Meta.Update([]meta.Row{meta.TableRow(name, true)})
	return c.place(nil, regions)
}

// Disable unassigns a table's regions.
func (c *Cluster) Disable(name store.Name) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.replicate()
	if err := c.store.SetTableState(name, store.Disabled); err != nil {
		return err
	}
	regions, err := c.store.Regions(name)
	if err != nil {
		return err
	}
	c.Meta.Update([]meta.Row{meta.TableRow(name, false)})
	c.retire(regions)
	return c.place(nil, regions)
}

// retire takes regions from their servers. The caller holds the cluster's lock.
func (c *Cluster) retire(regions []*store.Region) {
	for _, held := range regions {
		if i := slices.Index(c.orphans, held); i >= 0 {
			c.orphans = slices.Delete(c.orphans, i, i+1)
			c.InMotion.Add(-1)
		}
		info := held.Info()
		if r, s, err := c.find([]byte(info.Encoded)); err == nil {
			s.close(nil, 0, r)
		}
	}
}

// Delete deletes a disabled table.
func (c *Cluster) Delete(name store.Name) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.replicate()
	gone, err := c.rows(name)
	if err != nil {
		return err
	}
	if err := c.store.DeleteTable(name); err != nil {
		return err
	}
	c.Meta.Update(nil, append(gone, []byte(name.String()))...)
	return nil
}

// Truncate empties a disabled table, and enables it.
func (c *Cluster) Truncate(name store.Name, keepSplits bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.replicate()
	gone, err := c.rows(name)
	if err != nil {
		return err
	}
	regions, err := c.store.TruncateTable(name, keepSplits)
	if err != nil {
		return err
	}
	c.Meta.Update([]meta.Row{meta.TableRow(name, true)}, gone...)
	return c.place(nil, regions)
}

// Restore gives a disabled table the rows and regions of a snapshot.
func (c *Cluster) Restore(name store.Name, snapshot string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.replicate()
	gone, err := c.rows(name)
	if err != nil {
		return err
	}
	regions, err := c.store.RestoreSnapshot(name, snapshot)
	if err != nil {
		return err
	}
	c.Meta.Update(nil, gone...)
	return c.place(nil, regions)
}

// rows returns the hbase:meta rows of a table's regions. The caller holds the cluster's lock.
func (c *Cluster) rows(name store.Name) ([][]byte, error) {
	regions, err := c.store.Regions(name)
	if err != nil {
		return nil, err
	}
	rows := make([][]byte, 0, len(regions))
	for _, r := range regions {
		info := r.Info()
		rows = append(rows, info.RegionName())
	}
	return rows, nil
}

// Split splits a region at a row, or in the middle of its data.
func (c *Cluster) Split(name, at []byte) error {
	c.SplitsAsked.Add(1)
	r, _, err := c.Find(name)
	if err != nil {
		return err
	}
	if r.Meta != nil {
		return rpc.Finalf(finalIO, "%s has only one region", meta.Name)
	}
	if len(at) == 0 { // searched without the lock
		if at, err = r.Store.SplitPoint(); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.replicate()
	r, s, err := c.find(name)
	if err != nil {
		return err
	}
	low, high, err := r.Store.Split(at)
	if err != nil {
		return err
	}
	c.SplitsDone.Add(1)
	s.close(nil, 0, r)
	c.logger.Debug("region split", "region", r.Name, "at", string(at))
	err = c.place(s, []*store.Region{low, high})
	c.Meta.Update(nil, r.Info.RegionName()) // last: a client that looks meanwhile must find some region, or it assumes that the table is gone
	return err
}

// Merge merges neighbouring regions into one.
func (c *Cluster) Merge(names ...[]byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.replicate()
	var held []*store.Region
	var gone [][]byte
	var to *Server
	for _, name := range names {
		r, s, err := c.find(name)
		if err != nil {
			return err
		}
		if r.Meta != nil {
			return rpc.Finalf(finalIO, "%s has only one region", meta.Name)
		}
		held, gone = append(held, r.Store), append(gone, r.Info.RegionName())
		if to == nil {
			to = s
		}
	}
	merged, err := c.store.Merge(held...)
	if err != nil {
		return err
	}
	for _, name := range names {
		if r, s, err := c.find(name); err == nil {
			s.close(nil, 0, r)
		}
	}
	err = c.place(to, []*store.Region{merged})
	c.Meta.Update(nil, gone...) // last, as in Split
	return err
}

// Explain returns the HBase exception for an error of the store; nil stays nil.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*protocol.Exception](err); ok {
		return err
	}
	const hbase = "org.apache.hadoop.hbase."
	for _, known := range []struct {
		is    error
		class string
		again bool // may the client retry?
		named bool // is the message a name?
	}{
		{is: store.ErrRegionGone, class: notServing, again: true},
		{is: store.ErrRegionNotFound, class: unknownRegion},
		{is: store.ErrWrongRegion, class: hbase + "regionserver.WrongRegionException", again: true},
		{is: store.ErrNoFamily, class: hbase + "regionserver.NoSuchColumnFamilyException"},
		{is: store.ErrFull, class: hbase + "quotas.SpaceLimitingException"},
		{is: store.ErrNamespaceExists, class: hbase + "NamespaceExistException"},
		{is: store.ErrNamespaceNotFound, class: hbase + "NamespaceNotFoundException", named: true},
		{is: store.ErrNamespaceInUse, class: hbase + "constraint.ConstraintException"},
		{is: store.ErrTableExists, class: hbase + "TableExistsException", named: true},
		{is: store.ErrTableNotFound, class: hbase + "TableNotFoundException", named: true},
		{is: store.ErrTableEnabled, class: hbase + "TableNotDisabledException"},
		{is: store.ErrTableDisabled, class: hbase + "TableNotEnabledException"},
		{is: store.ErrSnapshotExists, class: hbase + "snapshot.SnapshotExistsException"},
		{is: store.ErrSnapshotNotFound, class: hbase + "snapshot.SnapshotDoesNotExistException"},
		{is: store.ErrClosed, class: hbase + "regionserver.RegionServerStoppedException", again: true},
		{is: store.ErrNotANumber, class: finalIO},
		{is: store.ErrTooLarge, class: finalIO},
		{is: store.ErrBadRequest, class: finalIO},
		{is: store.ErrNoSplit, class: finalIO},
		{is: ErrNoServer, class: hbase + "PleaseHoldException", again: true},
	} {
		if errors.Is(err, known.is) {
			return &protocol.Exception{Class: known.class, Message: text(err, known.named), DoNotRetry: !known.again}
		}
	}
	return fmt.Errorf("sandbox: %w", err)
}

// text is the message of an exception. For an error about a name it is the name alone, because Java's clients expect
// that.
func text(err error, named bool) string {
	all := err.Error()
	if named {
		return all[strings.LastIndexByte(all, ' ')+1:]
	}
	return all
}
