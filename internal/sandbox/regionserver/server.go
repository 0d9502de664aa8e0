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

// Config is what a region server is made of.
type Config struct {
	Cluster *cluster.Cluster
	Node    *cluster.Server
	Begin   *Beginning
	Faults  *fault.Plan    // may be nil
	Model   *service.Model // may be nil
	// Lease is how long a scanner stays open that nobody reads; 60 s by default.
	Lease time.Duration
	// Synced says that a write waits for the disk.
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

	ctx     context.Context //nolint:containedctx // ends with the server, for compactions
	cancel  context.CancelFunc
	work    sync.WaitGroup
	turn    chan struct{} // whose compaction goes on
	waiting queue
}

// New makes a server; Start has it serve.
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

// Gate is where the server can be stopped.
func (s *Server) Gate() *rpc.Gate { return &s.rpc.Gate }

// Fence lets no more calls be carried out, and no compactions: the master has given the server's regions to others.
func (s *Server) Fence() {
	s.cancel()
	s.rpc.Fence()
}

// Close ends the server as a crash does: its connections break, calls that are being served are not answered.
func (s *Server) Close() {
	s.cancel()
	s.Model.Close()
	s.rpc.Close()
	s.scanners.close()
}

// Wait waits after Close for compactions that have begun.
func (s *Server) Wait() { s.work.Wait() }

// Connections is how many clients are connected.
func (s *Server) Connections() int { return s.rpc.Connections() }

// Accepted is how many have been since the server's start.
func (s *Server) Accepted() int64 { return s.rpc.Accepted() }

// Traffic is how many bytes calls and answers had.
func (s *Server) Traffic() (received, sent int64) { return s.rpc.Traffic() }

// Unlogged is how many mutations asked for no log, or not to wait for it.
func (s *Server) Unlogged() int64 { return s.unlogged.Load() }

// Compactions is how many wait for their turn.
func (s *Server) Compactions() int { return s.waiting.len() }

// client is ClientService.
type client struct{ *Server }

// Quick says that reading a row, and writing one where that waits for no disk, is done at once.
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
	err := s.Model.Serve(ctx)
	ready := began
	if s.Model != nil {
		ready = time.Now()
	}
	if err == nil {
		err = s.serve(ctx, c, a)
	}
	m.Answered(ready.Sub(began), time.Since(ready))
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

// judge applies faults to one operation. The verdict's cut is noted in the answer.
func (s *Server) judge(ctx context.Context, op fault.Op, r *cluster.Region, row []byte, a *rpc.Answer) error {
	if s.Faults.Quiet() {
		return nil
	}
	call := fault.Call{Server: s.Node.Fault, Op: op, Row: row}
	if r != nil {
		call.Table, call.Region = r.Table, r.Info.Encoded
	}
	v := s.Faults.Judge(call)
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
