package regionserver

import (
	"context"
	"time"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/jmx"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/store"
)

func (s client) mutate(ctx context.Context, c *rpc.Call, a *rpc.Answer) error {
	var request hbasepb.MutateRequest
	if err := rpc.Decode(c, &request); err != nil {
		return err
	}
	r, err := s.Node.Region(request.GetRegion().GetValue())
	if err != nil {
		return err
	}
	cells := block{c.Cells, request.GetNonceGroup()}
	m, err := cells.changeOf(request.GetMutation())
	if err != nil {
		return err
	}
	if request.Condition != nil {
		return s.checked(ctx, c, a, r, request.GetCondition(), m)
	}
	if err := s.applyFaults(ctx, m.op, r, m.Row, a); err != nil {
		return err
	}
	s.note(m)
	held, err := r.Writable()
	if err != nil {
		return err
	}
	began := time.Now()
	s.Node.Meter.RowActions.Add(1)
	if m.Kind == store.Put || m.Kind == store.Delete {
		if err := held.Mutate(&m.Mutation, nil); err != nil {
			return err
		}
		s.histogram(m.Kind).Record(time.Since(began))
		a.Body = appendProcessed(a.Body, true)
		return nil
	}
	out := s.result()
	defer s.results.Put(out)
	out.Reset()
	if err := s.once(ctx, held, m, out); err != nil {
		return err
	}
	s.histogram(m.Kind).Record(time.Since(began))
	changed(c, a, m, out)
	processed(a, true)
	return nil
}

// once carries out an increment or append, unless an operation with the same nonce has taken effect: then, as in HBase,
// the answer has the current values of the columns.
func (s *Server) once(ctx context.Context, held *store.Region, m *change, out *store.Result) error {
	if m.nonce == (cluster.Nonce{}) {
		return held.Mutate(&m.Mutation, out)
	}
	nonces := &s.Cluster.Nonces
	fresh, err := nonces.Begin(ctx, m.nonce)
	if err != nil {
		return err
	}
	if fresh {
		err := held.Mutate(&m.Mutation, out)
		nonces.End(m.nonce, err == nil)
		return err
	}
	get := store.Get{Row: m.Row, Read: store.Read{Times: m.Times}}
	for i := range m.Cells {
		get.Columns = append(get.Columns, store.Columns{Family: string(m.Cells[i].Family), Qualifiers: [][]byte{m.Cells[i].Qualifier}})
	}
	return held.Get(&get, out)
}

// note counts mutations that ask for less durability than the log gives.
func (s *Server) note(m *change) {
	if m.Durability == store.Unsynced {
		s.unlogged.Add(1)
	}
}

func processed(a *rpc.Answer, done bool) {
	if message, ok := a.Message.(*hbasepb.MutateResponse); ok {
		message.Processed = &done
		return
	}
	a.Body = appendProcessed(a.Body, done)
}

// changed puts the new values into the answer to a single mutation.
func changed(c *rpc.Call, a *rpc.Answer, m *change, out *store.Result) {
	switch {
	case m.silent || len(out.Cells) == 0:
		a.Body = appendGetResponse(a.Body, nil)
	case c.Conn.Plain:
		a.Message = &hbasepb.MutateResponse{Result: plainResult(out.Cells)}
	default:
		a.Cells = appendCells(a.Cells, out.Cells)
		var room [12]byte
		a.Body = appendGetResponse(a.Body, appendCount(room[:0], len(out.Cells)))
	}
}

// checked carries out a mutation if a condition holds.
func (s client) checked(ctx context.Context, c *rpc.Call, a *rpc.Answer, r *cluster.Region, condition *hbasepb.Condition, m *change) error {
	if err := s.applyFaults(ctx, fault.CheckAndMutate, r, condition.GetRow(), a); err != nil {
		return err
	}
	out := s.result()
	defer s.results.Put(out)
	out.Reset()
	done, err := s.check(r, condition, []*store.Mutation{&m.Mutation}, out)
	if err != nil {
		return err
	}
	if done && (m.Kind == store.Increment || m.Kind == store.Append) {
		changed(c, a, m, out)
	}
	processed(a, done)
	return nil
}

func (s client) check(r *cluster.Region, condition *hbasepb.Condition, ms []*store.Mutation, out *store.Result) (bool, error) {
	held, err := r.Writable()
	if err != nil {
		return false, err
	}
	check, err := checkOf(condition)
	if err != nil {
		return false, err
	}
	began := time.Now()
	meter := &s.Node.Meter
	meter.RowActions.Add(1)
	done, err := held.CheckAndMutate(check, ms, out)
	if err != nil {
		return false, err
	}
	meter.CheckAndMutate.Record(time.Since(began))
	if done {
		meter.CheckPassed.Add(1)
	} else {
		meter.CheckFailed.Add(1)
	}
	return done, nil
}

func (s *Server) histogram(k store.Kind) *jmx.Histogram {
	switch k {
	case store.Delete:
		return &s.Node.Meter.Delete
	case store.Increment:
		return &s.Node.Meter.Increment
	case store.Append:
		return &s.Node.Meter.Append
	default:
		return &s.Node.Meter.Put
	}
}
