package sandbox

import (
	"net/http"
	"strconv"
	"time"

	"github.com/benchd/benchd/internal/sandbox/control"
	"github.com/benchd/benchd/internal/sandbox/jmx"
)

// masterHandler serves the master's metrics and the sandbox's control API.
func (s *Sandbox) masterHandler() http.Handler {
	mux := http.NewServeMux()
	steering := control.Handler(control.Sandbox{Version: s.options.Program, Quorum: s.quorum, Cluster: s, Faults: s.faults})
	mux.Handle("/sandbox", steering)
	mux.Handle("/sandbox/", steering)
	mux.Handle("/", jmx.Handler(s.masterFigures, s.settings))
	return mux
}

func (s *Sandbox) masterFigures() jmx.Figures {
	f := &jmx.Master{
		Name: s.begin.Name(), Host: s.host, Quorum: s.quorum, ClusterID: s.begin.ClusterID, Started: s.started,
		InTransition: int(s.cluster.InMotion.Load()), Meter: &s.master.Meter,
	}
	fill(f.Meter, s.master)
	f.Requests = s.cluster.Requests()
	for _, n := range s.cluster.Servers() {
		if !n.Known() {
			f.Dead = append(f.Dead, n.Name())
			continue
		}
		f.Live = append(f.Live, n.Name())
		f.Regions += n.Count()
	}
	if since := s.cluster.Since(); !since.IsZero() {
		f.OldestInMotion = time.Since(since)
	}
	return jmx.Figures{Master: f}
}

// connected is a server that counts its connections and their bytes.
type connected interface {
	Connections() int
	Traffic() (received, sent int64)
}

// fill copies the connection counters of a server into a meter. Without a model of service times no call waits for a handler.
func fill(m *jmx.Meter, from connected) {
	m.Serving.Store(m.Active.Load())
	m.Connections.Store(int64(from.Connections()))
	received, sent := from.Traffic()
	m.Received.Store(received)
	m.Sent.Store(sent)
}

// serverHandler serves a region server's metrics.
func (s *Sandbox) serverHandler(n *node) http.Handler {
	return jmx.Handler(func() jmx.Figures { return jmx.Figures{RegionServer: s.serverFigures(n)} }, s.settings)
}

func (s *Sandbox) serverFigures(n *node) *jmx.RegionServer {
	f := &jmx.RegionServer{
		Name: n.Node.Name(), Host: s.host, Quorum: s.quorum, ClusterID: s.begin.ClusterID, Started: n.Node.Started, Meter: &n.Node.Meter,
	}
	fill(f.Meter, n)
	if n.Model != nil {
		queued, busy := n.Model.Load()
		f.Meter.Queued.Store(int64(queued))
		f.Meter.Serving.Store(int64(busy))
	}
	for _, r := range n.Node.Regions() {
		one := jmx.Region{Namespace: r.Info.Table.Namespace, Table: r.Info.Table.Qualifier, Encoded: r.Info.Encoded, Stores: 1}
		if r.Meta != nil {
			one.Reads = r.Meta.Reads()
			f.Regions = append(f.Regions, one)
			continue
		}
		held, err := r.Store.Figures()
		if err != nil {
			continue // the region has just been split or deleted
		}
		definition := r.Store.Table()
		one.Stores, one.Reads, one.Writes = len(definition.Families), held.Reads, held.Writes
		one.Files, one.FileBytes, one.MemstoreBytes = held.StoreFiles, held.StoreFileBytes, held.MemStoreBytes
		f.Regions = append(f.Regions, one)
	}
	m := s.store.Metrics()
	f.Storage = jmx.Storage{
		CacheBytes: m.CacheBytes, CacheFree: m.CacheFree, CacheBlocks: m.CacheBlocks, CacheHits: m.CacheHits, CacheMisses: m.CacheMisses,
		LogFiles: m.LogFiles, LogBytes: m.LogBytes, LogWritten: m.LogWritten,
		Flushes: m.Flushes, Compactions: m.Compactions, FlushedBytes: m.FlushedBytes, CompactedBytes: m.CompactedBytes,
		FlushQueue: m.Flushing, CompactionQueue: n.Compactions() + m.Compacting, WithoutLog: n.Unlogged(),
		SplitRequests: s.cluster.SplitsAsked.Load(), SplitsOK: s.cluster.SplitsDone.Load(),
	}
	if s.options.Data != "" {
		f.Storage.LogSync = &s.synced
	}
	return f
}

// settings are the sandbox's settings, with HBase's names where HBase has one.
func (s *Sandbox) settings() map[string]string {
	return map[string]string{
		"hbase.zookeeper.quorum":              s.quorum,
		"zookeeper.znode.parent":              s.options.Root,
		"hbase.rootdir":                       s.options.Data,
		"hbase.client.scanner.timeout.period": strconv.FormatInt(s.options.Lease.Milliseconds(), 10),
		"hbase.regionserver.handler.count":    strconv.Itoa(s.options.Service.Handlers),
		"benchd.sandbox":                      "true",
		"benchd.sandbox.detection":            s.options.Detection.String(),
		"benchd.sandbox.service.time":         s.options.Service.String(),
	}
}
