package master

import (
	"maps"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/rpc"
)

// maxProcedures bounds the remembered outcomes.
const maxProcedures = 1000

// procedure is a requested operation.
type procedure struct {
	submitted, updated time.Time
	over               bool
	err                error
}

// procedures are a master's procedures by number. The zero value is ready.
type procedures struct {
	work sync.WaitGroup

	mu   sync.Mutex
	last uint64
	all  map[uint64]*procedure
}

// begin runs an operation in the background; its number lets the client poll for the outcome.
func (p *procedures) begin(do func() error) *uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, one := p.add()
	p.work.Go(func() {
		err := do()
		p.mu.Lock()
		defer p.mu.Unlock()
		one.over, one.err, one.updated = true, err, time.Now()
	})
	return &id
}

// done returns a number for a finished operation.
func (p *procedures) done() *uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, one := p.add()
	one.over = true
	return &id
}

func (p *procedures) add() (uint64, *procedure) {
	if p.all == nil {
		p.all = map[uint64]*procedure{}
	}
	p.last++
	now := time.Now()
	one := &procedure{submitted: now, updated: now}
	p.all[p.last] = one
	if len(p.all) > maxProcedures {
		delete(p.all, slices.Min(slices.Collect(maps.Keys(p.all))))
	}
	return p.last, one
}

func (p *procedures) wait() { p.work.Wait() }

// procedureResult returns the outcome of a procedure.
func (s *Server) procedureResult(m *hbasepb.GetProcedureResultRequest) (proto.Message, error) {
	p := &s.procedures
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.all[m.GetProcId()]
	if one == nil {
		return &hbasepb.GetProcedureResultResponse{State: hbasepb.ProcedureState_PROCEDURE_STATE_NOT_FOUND.Enum()}, nil
	}
	out := &hbasepb.GetProcedureResultResponse{
		State:         hbasepb.ProcedureState_PROCEDURE_STATE_RUNNING.Enum(),
		SubmittedTime: new(uint64(one.submitted.UnixMilli())),
		LastUpdate:    new(uint64(one.updated.UnixMilli())),
	}
	if one.over {
		out.State = hbasepb.ProcedureState_PROCEDURE_STATE_FINISHED.Enum()
	}
	if one.err != nil {
		e := rpc.AsException(cluster.Explain(one.err))
		out.Exception = &hbasepb.ForeignExceptionMessage{
			Source:           new("master"),
			GenericException: &hbasepb.GenericExceptionMessage{ClassName: new(e.Class), Message: new(e.Message)},
		}
	}
	return out, nil
}

// execProcedure starts a procedure of all servers. The sandbox has one: the flush of a table. It is done when the call
// is answered.
func (s *Server) execProcedure(m *hbasepb.ExecProcedureRequest) (proto.Message, error) {
	if m.GetProcedure().GetSignature() != flushProcedure {
		return nil, rpc.Finalf(finalIO, "the sandbox has no procedure %q", m.GetProcedure().GetSignature())
	}
	if err := s.flushAll(nameOf(m.GetProcedure().GetInstance())); err != nil {
		return nil, err
	}
	return &hbasepb.ExecProcedureResponse{ExpectedTimeout: new(time.Minute.Milliseconds())}, nil
}

const flushProcedure = "flush-table-proc"

func (*Server) isProcedureDone(m *hbasepb.IsProcedureDoneRequest) (proto.Message, error) {
	return &hbasepb.IsProcedureDoneResponse{Done: new(true), Snapshot: m.GetProcedure()}, nil
}
