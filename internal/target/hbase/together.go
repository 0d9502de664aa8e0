package hbase

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// item is an operation of one row that goes out in a batch with those of other workers. What it holds is its own: its
// worker may give up while the batch is under way, and then takes a new one.
type item struct {
	row    row
	region *region
	done   chan error
	result []byte // the Result message
	cells  []byte // that stand beside it
}

// batch is what gathers on one connection. Who begins it leads it: waits until it is full or the delay is over, sends
// it, and hands out what comes back.
type batch struct {
	items []*item
	full  chan struct{} // closed when nobody more can join
}

// gathering is the place of a connection where a batch gathers, when batching is on.
type gathering struct {
	mu  sync.Mutex
	now *batch
}

// join puts an item into the batch that gathers, or begins one.
func (g *gathering) join(it *item, size int) (b *batch, leads bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if leads = g.now == nil; leads {
		g.now = &batch{full: make(chan struct{})}
	}
	b = g.now
	b.items = append(b.items, it)
	if len(b.items) == size {
		g.now = nil
		close(b.full)
	}
	return b, leads
}

// end lets nobody more join.
func (g *gathering) end(b *batch) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.now == b {
		g.now = nil
		close(b.full)
	}
}

// together carries out the operation in hand in a batch. Its answer is in the session's item.
func (s *session) together(r *region, conn *rpc.Conn) error {
	it := s.item
	it.region = r
	it.row.key = append(it.row.key[:0], s.key...)
	it.row.get, it.row.m = s.mutation == mutation{}, s.mutation
	it.row.columns = append(it.row.columns[:0], s.columns...)
	it.row.cells = it.row.cells[:0]
	if !it.row.get {
		for _, c := range s.cells {
			it.row.cells = appendCell(it.row.cells, s.key, s.t.family, c[0], c[1])
		}
	}
	g := &r.server.lines[s.line].batch
	b, leads := g.join(it, s.t.settings.BatchSize)
	if leads {
		s.gather(g, b)
		s.lead(b, conn)
	}
	err, late := s.turn.receive(it.done)
	if late != nil {
		s.item = newItem()
		return late
	}
	return err
}

func newItem() *item { return &item{done: make(chan error, 1)} }

// gather waits until the batch is full or its delay is over.
func (s *session) gather(g *gathering, b *batch) {
	defer g.end(b)
	if s.t.settings.BatchDelay == 0 {
		return
	}
	t := time.NewTimer(s.t.settings.BatchDelay)
	defer t.Stop()
	select {
	case <-b.full:
	case <-t.C:
	case <-s.turn.ended:
	}
}

// lead sends a batch and tells each of its items what came of it.
func (s *session) lead(b *batch, conn *rpc.Conn) {
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
	p.call.Timeout = s.turn.start()
	conn.Send(p.call)
	err := s.turn.await(p.call)
	var response, cells []byte
	if err != nil {
		err = s.abandon(&p.call, conn, err, p.regions()...)
	} else {
		response, cells, err = p.call.Answer()
	}
	if err == nil {
		err = multiAnswer(response, func(region, index int, r multiResult) (err error) {
			if region >= len(p.spans) || index >= p.spans[region].to-p.spans[region].from {
				return errAnswer
			}
			sp := p.spans[region]
			if index < 0 {
				for i := sp.from; i < sp.to; i++ {
					b.finish(i, r.err)
				}
				return nil
			}
			it := b.items[sp.from+index]
			if it == nil {
				return errAnswer // it is told of twice
			}
			if r.err == nil {
				before := cells
				var unread tally
				if _, cells, err = unread.result(r.result, cells, nil); err != nil {
					return err
				}
				it.result = append(it.result[:0], r.result...)
				it.cells = append(it.cells[:0], before[:len(before)-len(cells)]...)
			}
			b.finish(sp.from+index, r.err)
			return nil
		})
		err = cmp.Or(err, errMissingAnswer)
	}
	for i := range b.items {
		b.finish(i, err) // of those that have not been told anything
	}
	clear(s.rows) // their keys and cells are the items'
}

// finish tells an item how it ended. The first time counts: then the item is its worker's again.
func (b *batch) finish(i int, err error) {
	if it := b.items[i]; it != nil {
		b.items[i] = nil
		it.done <- err
	}
}
