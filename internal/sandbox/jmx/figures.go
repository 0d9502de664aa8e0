package jmx

import "time"

// Figures are what the beans of one info port show. A region server's port has no Master, the master's no
// RegionServer.
type Figures struct {
	RegionServer *RegionServer
	Master       *Master
}

// RegionServer is the figures of one region server.
type RegionServer struct {
	Name      string // host,port,startcode
	Host      string
	Quorum    string
	ClusterID string
	Started   time.Time

	Meter   *Meter
	Regions []Region
	Storage Storage
}

// Region is the figures of one region.
type Region struct {
	Namespace, Table, Encoded string

	Reads, Writes, FilteredReads int64 // rows, since it was opened here
	Stores                       int   // families
	Files                        int
	FileBytes                    int64
	MemstoreBytes                int64
}

// Storage is the figures of what keeps the cells. The region servers of a sandbox share it, so each reports the same.
type Storage struct {
	CacheBytes, CacheFree, CacheBlocks   int64
	CacheHits, CacheMisses, CacheEvicted int64

	LogFiles                int
	LogBytes                int64 // on the disk now
	LogWritten              int64 // since the start
	LogSync, LogAppend      *Histogram
	FlushQueue              int
	CompactionQueue         int
	Flushes, Compactions    int64
	FlushedBytes            int64
	CompactedBytes          int64
	UpdatesBlocked          time.Duration
	WithoutLog              int64 // writes that asked for none
	SplitRequests, SplitsOK int64
}

// Master is the figures of the master.
type Master struct {
	Name      string
	Host      string
	Quorum    string
	ClusterID string
	Started   time.Time

	Live, Dead     []string // names of region servers
	Requests       int64    // of the whole cluster
	Regions        int
	InTransition   int
	OldestInMotion time.Duration
	Meter          *Meter
}
