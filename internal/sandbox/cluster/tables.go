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

// Create creates a table and has its regions served.
func (c *Cluster) Create(t store.Table, splits [][]byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	regions, err := c.store.CreateTable(t, splits)
	if err != nil {
		return err
	}
	c.Meta.Update([]meta.Row{meta.TableRow(t.Name, true)})
	return c.place(nil, regions)
}

// Enable has a table's regions served, Disable has them served no longer.
func (c *Cluster) Enable(name store.Name) error {
	c.mu.Lock()
	defer c.mu.Unlock()
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

// Disable is the opposite of Enable.
func (c *Cluster) Disable(name store.Name) error {
	c.mu.Lock()
	defer c.mu.Unlock()
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

// Retire takes regions from their servers. The cluster is locked.
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

// Rows are the rows of hbase:meta that a table's regions have. The cluster is locked.
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

// Split parts a region at a row, or in the middle of what it holds.
func (c *Cluster) Split(name, at []byte) error {
	c.SplitsAsked.Add(1)
	r, _, err := c.Find(name)
	if err != nil {
		return err
	}
	if r.Meta != nil {
		return rpc.Finalf(finalIO, "%s is one region", meta.Name)
	}
	if len(at) == 0 { // looked for without keeping others waiting
		if at, err = r.Store.SplitPoint(); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
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
	c.Meta.Update(nil, r.Info.RegionName()) // last: a client that looks meanwhile must find some region, or it takes the table for gone
	return err
}

// Merge makes one region of neighbours.
func (c *Cluster) Merge(names ...[]byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var held []*store.Region
	var gone [][]byte
	var to *Server
	for _, name := range names {
		r, s, err := c.find(name)
		if err != nil {
			return err
		}
		if r.Meta != nil {
			return rpc.Finalf(finalIO, "%s is one region", meta.Name)
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

// Explain gives the exception of HBase that says what an error of the store's means; nil stays nil.
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
		again bool // may the client try again?
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

// Text is what an exception says. Where it is about a name, Java's clients take the message for the name alone.
func text(err error, named bool) string {
	all := err.Error()
	if named {
		return all[strings.LastIndexByte(all, ' ')+1:]
	}
	return all
}
