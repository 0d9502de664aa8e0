package regionserver

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/service"
	"github.com/benchd/benchd/internal/sandbox/store"
)

const (
	hbase   = "org.apache.hadoop.hbase."
	finalIO = hbase + "DoNotRetryIOException"
)

// Config is the configuration of a region server.
type Config struct {
	Cluster *cluster.Cluster
	Node    *cluster.Server
	Begin   *Beginning
	Faults  *fault.Plan    // may be nil
	Model   *service.Model // may be nil
	// Lease is how long an unread scanner stays open; 60 s by default.
	Lease time.Duration
	// Synced reports that a write waits for the disk.
	Synced bool
	Logger *slog.Logger
}

// Server is one region server.
type Server struct {
	Config
	rpc      *rpc.Server
	scanners scanners
	unlogged atomic.Int64
	results  sync.Pool // *store.Result
	pages    sync.Pool // *store.Page

	ctx     context.Context //nolint:containedctx // ends with the server; for compactions
	cancel  context.CancelFunc
	work    sync.WaitGroup
	turn    chan struct{} // held by the running compaction
	waiting queue
}

// New makes a server; Start starts it.
func New(c Config) *Server {
	if c.Lease == 0 {
		c.Lease = time.Minute
	}
	s := &Server{Config: c, turn: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.scanners.lease = c.Lease
	s.results.New = func() any { return &store.Result{} }
	s.pages.New = func() any { return &store.Page{} }
	s.rpc = rpc.New(map[string]rpc.Service{
		"ClientService":     client{s},
		"AdminService":      admin{s},
		"ClientMetaService": Registry{c.Cluster, c.Begin},
	}, c.Logger)
	return s
}

// Start serves on a port.
func (s *Server) Start(listener net.Listener) { s.rpc.Start(listener) }

// Gate is the gate at which the server can be stopped.
func (s *Server) Gate() *rpc.Gate { return &s.rpc.Gate }

// Fence blocks all further calls and compactions: the master has given the server's regions to others.
func (s *Server) Fence() {
	s.cancel()
	s.rpc.Fence()
}

// Close stops the server as a crash does: its connections break, and calls in progress are not answered.
func (s *Server) Close() {
	s.cancel()
	s.Model.Close()
	s.rpc.Close()
	s.scanners.close()
}

// Wait waits after Close for running compactions.
func (s *Server) Wait() { s.work.Wait() }

// Connections is the number of connected clients.
func (s *Server) Connections() int { return s.rpc.Connections() }

// Accepted is the number of connections accepted since the start.
func (s *Server) Accepted() int64 { return s.rpc.Accepted() }

// Traffic is the number of bytes of calls and answers.
func (s *Server) Traffic() (received, sent int64) { return s.rpc.Traffic() }

// Unlogged is the number of mutations that asked for no log, or not to wait for it.
func (s *Server) Unlogged() int64 { return s.unlogged.Load() }

// Compactions is the number of waiting compactions.
func (s *Server) Compactions() int { return s.waiting.len() }

// client implements ClientService.
type client struct{ *Server }

// Quick reports whether a call is fast: reading a row, and writing one if the write does not wait for a disk.
func (s client) Quick(c *rpc.Call) bool {
	if s.Model != nil || !s.Faults.Quiet() {
		return false
	}
	switch string(c.Method) {
	case "Get":
		return true
	case "Mutate":
		return !s.Synced
	default:
		return false
	}
}

// Serve answers a call.
func (s client) Serve(ctx context.Context, c *rpc.Call, a *rpc.Answer) {
	began := time.Now()
	m := &s.Node.Meter
	m.Active.Add(1)
	defer m.Active.Add(-1)
	queued, err := s.Model.Serve(ctx)
	if err == nil {
		err = s.serve(ctx, c, a)
	}
	all := time.Since(began)
	queued = min(queued, all) // its client may have left the queue
	m.Answered(queued, all-queued)
	if err != nil {
		a.Fail(cluster.Explain(err))
		m.Failed(a.Exception.Class)
	}
}

func (s client) serve(ctx context.Context, c *rpc.Call, a *rpc.Answer) error {
	switch string(c.Method) {
	case "Get":
		s.Node.Meter.Gets.Add(1)
		return s.get(ctx, c, a)
	case "Mutate":
		s.Node.Meter.Mutates.Add(1)
		return s.mutate(ctx, c, a)
	case "Multi":
		s.Node.Meter.Multis.Add(1)
		return s.multi(ctx, c, a)
	case "Scan":
		s.Node.Meter.Scans.Add(1)
		return s.scan(ctx, c, a)
	case "ExecService", "ExecRegionServerService":
		return rpc.Finalf(hbase+"exceptions.UnknownProtocolException", "the sandbox has no coprocessors")
	default:
		return rpc.Unsupported(c.Method)
	}
}

// applyFaults applies faults to one operation. It notes the verdict's cut in the answer.
func (s *Server) applyFaults(ctx context.Context, op fault.Op, r *cluster.Region, row []byte, a *rpc.Answer) error {
	if s.Faults.Quiet() {
		return nil
	}
	call := fault.Call{Server: s.Node.Fault, Op: op, Row: row}
	if r != nil {
		call.Table, call.Region = r.Table, r.Info.Encoded
	}
	v := s.Faults.Decide(call)
	if err := v.Wait(ctx); err != nil {
		return err
	}
	if v.Exception != nil {
		return v.Exception
	}
	if v.Cut {
		a.Cut, a.CutAfter = true, v.CutAfter
	}
	return nil
}
