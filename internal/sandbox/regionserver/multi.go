package regionserver

import (
	"context"
	"time"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/store"
)

// batch is one MultiRequest in progress.
type batch struct {
	client
	ctx    context.Context //nolint:containedctx // lives as long as the call
	call   *rpc.Call
	answer *rpc.Answer
	cells  block
	out    *hbasepb.MultiResponse
}

func (s client) multi(ctx context.Context, c *rpc.Call, a *rpc.Answer) error {
	var request hbasepb.MultiRequest
	if err := rpc.Decode(c, &request); err != nil {
		return err
	}
	if err := s.applyFaults(ctx, fault.Multi, nil, nil, a); err != nil {
		return err
	}
	b := &batch{client: s, ctx: ctx, call: c, answer: a, cells: block{c.Cells, request.GetNonceGroup()}, out: &hbasepb.MultiResponse{}}
	for _, actions := range request.GetRegionAction() {
		if request.Condition != nil && actions.Condition == nil { // clients before 2.4 send it here
			actions.Condition = request.Condition
		}
		result := &hbasepb.RegionActionResult{}
		// Actions that are not carried out consume their cells, too: those of the next action follow.
		changes, err := b.changes(actions.GetAction())
		if err != nil {
			return err
		}
		if err := b.region(actions, changes, result); err != nil {
			*result = hbasepb.RegionActionResult{Exception: b.exception(err)}
		}
		b.out.RegionActionResult = append(b.out.RegionActionResult, result)
	}
	a.Message = b.out
	return nil
}

func (b *batch) exception(err error) *hbasepb.NameBytesPair {
	err = cluster.Explain(err)
	b.Node.Meter.Failed(rpc.AsException(err).Class)
	return exceptionOf(err)
}

// changes makes the mutations of actions; actions of other kinds get nil.
func (b *batch) changes(actions []*hbasepb.Action) ([]*change, error) {
	all := make([]*change, len(actions))
	for i, action := range actions {
		if action.Mutation == nil {
			continue
		}
		m, err := b.cells.changeOf(action.Mutation)
		if err != nil {
			return nil, err
		}
		all[i] = m
	}
	return all, nil
}

// region carries out the actions on one region. An error applies to all of them.
func (b *batch) region(actions *hbasepb.RegionAction, changes []*change, result *hbasepb.RegionActionResult) error {
	r, err := b.Node.Region(actions.GetRegion().GetValue())
	if err != nil {
		return err
	}
	if actions.Condition != nil || actions.GetAtomic() {
		return b.atomically(r, actions.GetCondition(), changes, result)
	}
	for i := 0; i < len(changes); {
		end := i
		for end < len(changes) && changes[end] != nil && changes[end].nonce == (cluster.Nonce{}) {
			end++
		}
		switch {
		case end > i:
			b.writes(r, actions.GetAction()[i:end], changes[i:end], result)
			i = end
			continue
		case changes[i] != nil:
			b.numbered(r, actions.GetAction()[i], changes[i], result)
		default:
			b.other(r, actions.GetAction()[i], result)
		}
		i++
	}
	return nil
}

// other carries out an action that is not a mutation.
func (b *batch) other(r *cluster.Region, action *hbasepb.Action, result *hbasepb.RegionActionResult) {
	done := &hbasepb.ResultOrException{Index: action.Index}
	result.ResultOrException = append(result.ResultOrException, done)
	if action.Get == nil {
		done.Exception = b.exception(rpc.Finalf(finalIO, "the sandbox supports only gets and mutations in a batch"))
		return
	}
	out := b.result()
	defer b.results.Put(out)
	if err := b.read(b.ctx, r, action.Get, out, b.answer); err != nil {
		done.Exception = b.exception(err)
		return
	}
	if action.Get.GetExistenceOnly() {
		done.Result = markStale(&hbasepb.Result{Exists: new(len(out.Cells) > 0)}, r.Copy > 0)
		return
	}
	done.Result, b.answer.Cells = resultOf(out.Cells, b.call.Conn.Plain, b.answer.Cells)
	markStale(done.Result, r.Copy > 0)
}

// numbered carries out an increment or append with a nonce by itself. If several ran at once, and another batch had
// them in another order, each batch could wait for the other.
func (b *batch) numbered(r *cluster.Region, action *hbasepb.Action, m *change, result *hbasepb.RegionActionResult) {
	began := time.Now()
	one := &hbasepb.ResultOrException{Index: action.Index}
	result.ResultOrException = append(result.ResultOrException, one)
	out := b.result()
	defer b.results.Put(out)
	out.Reset()
	held, err := r.Writable()
	if err == nil {
		err = b.applyFaults(b.ctx, m.op, r, m.Row, b.answer)
	}
	if err == nil {
		b.note(m)
		b.Node.Meter.RowActions.Add(1)
		err = b.once(b.ctx, held, m, out)
	}
	if err != nil {
		one.Exception = b.exception(err)
		return
	}
	b.histogram(m.Kind).Record(time.Since(began))
	one.Result = &hbasepb.Result{}
	if !m.silent {
		one.Result, b.answer.Cells = resultOf(out.Cells, b.call.Conn.Plain, b.answer.Cells)
	}
}

// writes carries out consecutive mutations, each by itself, with one wait for the disk.
func (b *batch) writes(r *cluster.Region, actions []*hbasepb.Action, changes []*change, result *hbasepb.RegionActionResult) {
	began := time.Now()
	var ms []*store.Mutation
	var outs []*store.Result
	errs := make([]error, len(changes))
	held, err := r.Writable()
	at := make([]int, len(changes))
	for i, m := range changes {
		if errs[i] = err; err == nil {
			errs[i] = b.applyFaults(b.ctx, m.op, r, m.Row, b.answer)
		}
		if errs[i] != nil {
			continue
		}
		b.note(m)
		at[i] = len(ms)
		ms = append(ms, &m.Mutation)
		var out *store.Result
		if m.Kind == store.Increment || m.Kind == store.Append {
			out = &store.Result{}
		}
		outs = append(outs, out)
	}
	b.Node.Meter.RowActions.Add(int64(len(ms)))
	var done []error
	if len(ms) > 0 {
		done = held.Batch(ms, outs)
	}
	took := time.Since(began)
	for i, m := range changes {
		one := &hbasepb.ResultOrException{Index: actions[i].Index}
		result.ResultOrException = append(result.ResultOrException, one)
		if errs[i] == nil {
			errs[i] = done[at[i]]
		}
		if errs[i] != nil {
			one.Exception = b.exception(errs[i])
			continue
		}
		b.histogram(m.Kind).Record(took / time.Duration(len(ms)))
		one.Result = &hbasepb.Result{}
		if out := outs[at[i]]; out != nil && !m.silent {
			one.Result, b.answer.Cells = resultOf(out.Cells, b.call.Conn.Plain, b.answer.Cells)
		}
	}
}

// atomically carries out all mutations or none, if the condition holds or there is none.
func (b *batch) atomically(r *cluster.Region, condition *hbasepb.Condition, changes []*change, result *hbasepb.RegionActionResult) error {
	ms := make([]*store.Mutation, len(changes))
	op, row := fault.CheckAndMutate, condition.GetRow()
	for i, m := range changes {
		if m == nil {
			return rpc.Finalf(finalIO, "atomic mutations cannot be mixed with reads")
		}
		ms[i] = &m.Mutation
		if condition == nil && i == 0 {
			op, row = m.op, m.Row
		}
	}
	if err := b.applyFaults(b.ctx, op, r, row, b.answer); err != nil {
		return err
	}
	held, err := r.Writable()
	if err != nil {
		return err
	}
	out := b.result()
	defer b.results.Put(out)
	out.Reset()
	done := true
	if condition != nil {
		done, err = b.check(r, condition, ms, out)
	} else {
		b.Node.Meter.RowActions.Add(int64(len(ms)))
		err = held.MutateRows(ms)
	}
	if err != nil {
		return err
	}
	result.Processed = new(done)
	b.out.Processed = new(done) // for clients before 2.4
	for i := range changes {
		one := &hbasepb.ResultOrException{Index: new(uint32(i)), Result: &hbasepb.Result{}}
		if i == 0 && len(out.Cells) > 0 {
			one.Result = plainResult(out.Cells) // results of increments and appends, never in the cell block
		}
		result.ResultOrException = append(result.ResultOrException, one)
	}
	return nil
}
