package cluster

import (
	"sync/atomic"

	"github.com/benchd/benchd/internal/sandbox/meta"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/store"
)

// Scanner reads rows in pages.
type Scanner interface {
	Next(l store.Limits, out *store.Page) (more bool, err error)
	Close() error
}

// Region is a region that a server serves.
type Region struct {
	// Info describes the region; its server and state may be outdated.
	Info store.RegionInfo
	// Name is the region's full name, Table its table's name.
	Name, Table string
	// Store holds the region's cells; nil for hbase:meta.
	Store *store.Region
	// Meta is hbase:meta; nil for all other regions.
	Meta *meta.Table
	// Copy is the number of a replica; 0 for the region itself.
	Copy int
	// Opened counts the openings from 1; clients use it to order locations by age.
	Opened int64

	// Minor and Major count the running compactions.
	Minor, Major atomic.Int32
	// LastMajor is when the last major compaction began, in milliseconds.
	LastMajor atomic.Int64
}

func newRegion(r *store.Region, opened int64) *Region {
	info := r.Info()
	return &Region{Info: info, Name: string(info.RegionName()), Table: info.Table.String(), Store: r, Opened: opened}
}

func metaRegion(t *meta.Table, opened int64) *Region {
	name := store.Name{Namespace: store.SystemNamespace, Qualifier: "meta"}
	return &Region{
		Info:   store.RegionInfo{Table: name, ID: 1, Encoded: meta.EncodedName, State: store.Online},
		Name:   meta.RegionName,
		Table:  meta.Name,
		Meta:   t,
		Opened: opened,
	}
}

// Get reads a row.
func (r *Region) Get(g *store.Get, out *store.Result) error {
	if r.Meta != nil {
		return r.Meta.Get(g, out)
	}
	if r.Copy > 0 {
		return r.Store.GetPast(g, out)
	}
	return r.Store.Get(g, out)
}

// Scan opens a scanner.
func (r *Region) Scan(s store.Scan) (Scanner, error) {
	if r.Meta != nil {
		return r.Meta.Scan(s)
	}
	if r.Copy > 0 {
		return r.Store.ScanPast(s)
	}
	return r.Store.Scan(s)
}

// Writable returns the store if the region's cells can be changed.
func (r *Region) Writable() (*store.Region, error) {
	if r.Meta != nil {
		return nil, rpc.Finalf("org.apache.hadoop.hbase.DoNotRetryIOException", "%s can only be written by the master", meta.Name)
	}
	if r.Copy > 0 || r.Store.ReadOnly() {
		return nil, rpc.Finalf("org.apache.hadoop.hbase.DoNotRetryIOException", "region is read only")
	}
	return r.Store, nil
}
