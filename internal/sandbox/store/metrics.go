package store

// Metrics are the metrics of the whole store, which all regions share.
type Metrics struct {
	CacheBytes, CacheFree, CacheBlocks int64
	CacheHits, CacheMisses             int64

	LogFiles   int   // 0 if in memory
	LogBytes   int64 // currently on disk
	LogWritten int64 // since the start

	Flushes, Compactions         int64
	FlushedBytes, CompactedBytes int64
	Flushing, Compacting         int // running now
}

// Metrics returns the store's metrics.
func (s *Store) Metrics() Metrics {
	m := s.db.Metrics()
	out := Metrics{
		CacheBytes: m.BlockCache.Size, CacheFree: max(s.opts.CacheBytes-m.BlockCache.Size, 0), CacheBlocks: m.BlockCache.Count,
		CacheHits: m.BlockCache.Hits, CacheMisses: m.BlockCache.Misses,
		Flushes: m.Flush.Count, Compactions: m.Compact.Count,
		Flushing: int(m.Flush.NumInProgress), Compacting: int(m.Compact.NumInProgress),
	}
	for i := range m.Levels {
		out.FlushedBytes += int64(m.Levels[i].TableBytesFlushed)
		out.CompactedBytes += int64(m.Levels[i].TableBytesCompacted)
	}
	if s.opts.Dir != "" {
		out.LogFiles = int(m.WAL.Files)
		out.LogBytes = int64(m.WAL.Size)
		out.LogWritten = int64(m.WAL.BytesWritten)
	}
	return out
}
