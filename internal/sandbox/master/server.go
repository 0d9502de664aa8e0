package master

import (
	"context"
	"log/slog"
	"net"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/jmx"
	"github.com/benchd/benchd/internal/sandbox/regionserver"
	"github.com/benchd/benchd/internal/sandbox/rpc"
)

const (
	hbase   = "org.apache.hadoop.hbase."
	finalIO = hbase + "DoNotRetryIOException"
)

// Version is the HBase release that the sandbox reports, marked as a sandbox.
const Version = "2.6.4-benchd-sandbox"

// Config is the configuration of a master.
type Config struct {
	Cluster  *cluster.Cluster
	Begin    *regionserver.Beginning
	Faults   *fault.Plan   // may be nil
	Node     *fault.Server // the master as fault plans name it
	InfoPort int
	Started  time.Time
	Logger   *slog.Logger
}

// Server is the master.
type Server struct {
	Config
	// Meter counts the master's work.
	Meter jmx.Meter

	rpc        *rpc.Server
	methods    map[string]method
	procedures procedures
}

// method answers one kind of call.
type method func(c *rpc.Call) (proto.Message, error)

// New makes a master; Start starts it.
func New(c Config) *Server {
	s := &Server{Config: c}
	s.methods = s.all()
	s.rpc = rpc.New(map[string]rpc.Service{
		"MasterService":     s,
		"ClientMetaService": regionserver.Registry{Cluster: c.Cluster, Begin: c.Begin},
	}, c.Logger)
	return s
}

// Start serves on a port.
func (s *Server) Start(listener net.Listener) { s.rpc.Start(listener) }

// Close stops the master.
func (s *Server) Close() {
	s.rpc.Close()
	s.procedures.wait()
}

// Connections is the number of connected clients.
func (s *Server) Connections() int { return s.rpc.Connections() }

// Traffic is the number of bytes of calls and answers.
func (s *Server) Traffic() (received, sent int64) { return s.rpc.Traffic() }

// Quick reports false: no call of the master is frequent.
func (*Server) Quick(*rpc.Call) bool { return false }

// Serve answers a call.
func (s *Server) Serve(ctx context.Context, c *rpc.Call, a *rpc.Answer) {
	began := time.Now()
	s.Meter.OtherCalls.Add(1)
	s.Meter.Active.Add(1)
	defer s.Meter.Active.Add(-1)
	err := s.applyFaults(ctx, a)
	if err == nil {
		if do := s.methods[string(c.Method)]; do != nil {
			a.Message, err = do(c)
		} else {
			err = rpc.Unsupported(c.Method)
		}
	}
	s.Meter.Answered(0, time.Since(began))
	if err != nil {
		a.Message = nil
		a.Fail(cluster.Explain(err))
		s.Meter.Failed(a.Exception.Class)
	}
}

func (s *Server) applyFaults(ctx context.Context, a *rpc.Answer) error {
	if s.Faults.Quiet() {
		return nil
	}
	v := s.Faults.Decide(fault.Call{Server: s.Node, Op: fault.Master})
	if err := v.Wait(ctx); err != nil {
		return err
	}
	if v.Exception != nil {
		return v.Exception
	}
	a.Cut, a.CutAfter = v.Cut, v.CutAfter
	return nil
}

// call makes a method from a function of a message.
func call[T any, P interface {
	*T
	proto.Message
}](do func(P) (proto.Message, error)) method {
	return func(c *rpc.Call) (proto.Message, error) {
		m := P(new(T))
		if err := rpc.Decode(c, m); err != nil {
			return nil, err
		}
		return do(m)
	}
}

// always makes a method with a fixed answer.
func always(m proto.Message) method {
	return func(*rpc.Call) (proto.Message, error) { return m, nil }
}
