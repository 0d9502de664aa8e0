package jmx

import "time"

// Figures are the metrics of one info port. Master is nil on a region server's port, RegionServer on the master's.
type Figures struct {
	RegionServer *RegionServer
	Master       *Master
}

// RegionServer holds the metrics of one region server.
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

// Region holds the metrics of one region.
type Region struct {
	Namespace, Table, Encoded string

	Reads, Writes, FilteredReads int64 // rows, since the region was opened here
	Stores                       int   // families
	Files                        int
	FileBytes                    int64
	MemstoreBytes                int64
}

// Storage holds the metrics of the store. The region servers of a sandbox share it, so each reports the same.
type Storage struct {
	CacheBytes, CacheFree, CacheBlocks   int64
	CacheHits, CacheMisses, CacheEvicted int64

	LogFiles                int
	LogBytes                int64 // currently on disk
	LogWritten              int64 // since the start
	LogSync, LogAppend      *Histogram
	FlushQueue              int
	CompactionQueue         int
	Flushes, Compactions    int64
	FlushedBytes            int64
	CompactedBytes          int64
	UpdatesBlocked          time.Duration
	WithoutLog              int64 // writes that asked to skip the log
	SplitRequests, SplitsOK int64
}

// Master holds the metrics of the master.
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
