package hbase

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/memory"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// item is an operation on one row that is sent in a batch with those of other workers. It has its own buffers: its worker may
// time out while the batch is under way, and then uses a new item.
type item struct {
	row    row
	region *region
	done   chan error
	result []byte // the Result message
	cells  []byte // the cells that belong to it
}

// batch collects the operations for one connection. The worker that begins it leads it: it waits until the batch is full or
// due, sends it, and distributes the answers.
type batch struct {
	items []*item
	ready chan struct{} // closed when no other item can join
}

// gathering has the open batch of a connection, when batching is on.
type gathering struct {
	mu       sync.Mutex
	now      *batch
	underway int // requests without an answer
}

// join adds an item to the open batch, or begins one. With eager, a batch is sent at once if no request is under way.
func (g *gathering) join(it *item, size int, eager bool) (b *batch, leads bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if leads = g.now == nil; leads {
		g.now = &batch{ready: make(chan struct{})}
	}
	b = g.now
	b.items = append(b.items, it)
	if len(b.items) == size || eager && g.underway == 0 {
		g.release()
	}
	return b, leads
}

// release closes the open batch, which is sent next. The caller holds mu.
func (g *gathering) release() {
	close(g.now.ready)
	g.now = nil
	g.underway++
}

// end releases a batch if it is still open.
func (g *gathering) end(b *batch) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.now == b {
		g.release()
	}
}

// answered counts a request as no longer under way. With eager, it releases the open batch.
func (g *gathering) answered(eager bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.underway--
	if eager && g.now != nil {
		g.release()
	}
}

// inBatch sends the current operation in a batch. Its answer is in the session's item.
func (s *session) inBatch(r *region, conn *rpc.Conn) error {
	it := s.item
	it.region = r
	it.row.key = append(it.row.key[:0], s.key...)
	it.row.get, it.row.m = s.mutation == mutation{}, s.mutation
	it.row.columns = append(it.row.columns[:0], s.columns...)
	it.row.cells = it.row.cells[:0]
	if !it.row.get {
		it.row.cells = s.appendPuts(it.row.cells, s.key)
	}
	g := &r.server.slots[s.slot].batch
	b, leads := g.join(it, s.t.settings.BatchSize, s.eager())
	if leads {
		s.gather(g, b)
		s.lead(g, b, conn)
	}
	err, late := s.deadline.receive(it.done)
	if late != nil {
		s.item = newItem()
		return late
	}
	return err
}

func newItem() *item { return &item{done: make(chan error, 1)} }

// eager reports whether a batch stays open only while another request is under way.
func (s *session) eager() bool { return s.t.settings.BatchDelay == 0 }

// gatherWithin is how long a batch waits for a request under way, so that a stuck request does not hold up others.
const gatherWithin = 10 * time.Millisecond

// gather waits until the batch is full or due.
func (s *session) gather(g *gathering, b *batch) {
	select {
	case <-b.ready:
		return
	default:
	}
	defer g.end(b)
	s.deadline.fresh = false // the request's time begins later
	within := s.t.settings.BatchDelay
	if s.eager() {
		within = s.t.gatherWithin
	}
	t := time.NewTimer(within)
	defer t.Stop()
	select {
	case <-b.ready:
	case <-t.C:
	case <-s.deadline.ended:
	}
}

// lead sends a batch and distributes the answers. When the leader's own time ends before the answer comes, a goroutine takes
// over: the other workers have time left, and the connection has not failed.
func (s *session) lead(g *gathering, b *batch, conn *rpc.Conn) {
	slices.SortFunc(b.items, func(x, y *item) int {
		return cmp.Or(bytes.Compare(x.region.start, y.region.start), cmp.Compare(x.region.name, y.region.name))
	})
	p := s.parcel(0)
	s.take(len(b.items))
	for i, it := range b.items {
		s.rows[i] = it.row
		p.include(i, it.region, &s.rows[i])
	}
	p.encode(s)
	clear(s.rows) // their keys and cells belong to the items
	within, sent := s.deadline.call, time.Now()
	s.deadline.start()
	p.call.Timeout = within // the batch's, which may be more than the leader has left
	conn.Send(p.call)
	late := s.deadline.await(p.call)
	g.answered(s.eager())
	switch late {
	case nil:
		b.settle(p.call, p.spans, &s.t.memory)
		return
	case errLate: //nolint:errorlint // await returns it as it is
		b.end(s.abandon(&p.call, conn, late, p.regions()...))
		return
	}
	call, spans, regions := p.call, slices.Clone(p.spans), p.regions()
	p.call = rpc.NewCall()
	at := regions[0].server.slots[s.slot]
	s.t.answers.Go(func() {
		t := time.NewTimer(time.Until(sent.Add(within)))
		defer t.Stop()
		select {
		case <-call.Done():
		case <-t.C:
			if freed, silent := conn.Abandon(call); freed {
				if silent {
					at.leave(conn, within, regions)
				}
				b.end(lateAt(conn, within))
				return
			}
			<-call.Done() // the answer is arriving
		}
		b.settle(call, spans, &s.t.memory)
		call.Release(&s.t.memory)
	})
}

// settle passes each item its part of the answer.
func (b *batch) settle(call *rpc.Call, spans []span, m *memory.Pool) {
	response, cells, err := call.Answer()
	if err == nil {
		err = protocol.Multi(response, func(region, index int, r protocol.MultiResult) (err error) {
			if region >= len(spans) || index >= spans[region].to-spans[region].from {
				return protocol.ErrMalformed
			}
			sp := spans[region]
			if index < 0 {
				for i := sp.from; i < sp.to; i++ {
					b.finish(i, r.Err)
				}
				return nil
			}
			it := b.items[sp.from+index]
			if it == nil {
				return protocol.ErrMalformed // it has two answers
			}
			if r.Err == nil {
				before := cells
				var unread protocol.Tally
				if _, cells, err = unread.Result(r.Result, cells, nil); err != nil {
					return err
				}
				own := before[:len(before)-len(cells)]
				it.result = append(m.Grow(it.result[:0], len(r.Result)), r.Result...)
				it.cells = append(m.Grow(it.cells[:0], len(own)), own...)
			}
			b.finish(sp.from+index, r.Err)
			return nil
		})
		err = cmp.Or(err, errMissingAnswer)
	}
	b.end(err)
}

// end passes an error to each item that has no answer yet.
func (b *batch) end(err error) {
	for i := range b.items {
		b.finish(i, err)
	}
}

// finish passes an item its result. Only the first call counts: after it the item belongs to its worker again.
func (b *batch) finish(i int, err error) {
	if it := b.items[i]; it != nil {
		b.items[i] = nil
		it.done <- err
	}
}
