package hbase

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// timeline executes the timeline-consistent reads of a session, as HBase's Java client does: it asks the region itself, and if that
// does not answer in time or cannot be reached, all of its replicas. The first answer counts.
type timeline struct {
	gets, scans opDeadline  // the time that the region has to answer a Get or a Scan before its replicas are asked
	first       *opDeadline // that of the current operation
	asked       bool        // the current operation has asked replicas
	calls       []*rpc.Call // that nobody waits for
}

// hedges counts what timeline-consistent reads have done.
type hedges struct {
	asked   atomic.Int64 // operations that asked replicas
	stale   atomic.Int64 // operations that a replica answered
	missing atomic.Int64 // those among them that found no row
}

// newTimeline returns nil without timeline-consistent reads.
func newTimeline(t *Table, slot int) *timeline {
	if !t.settings.Timeline {
		return nil
	}
	tl := new(timeline)
	tl.gets.init(t.settings.Timeout, t.settings.PrimaryGet)
	tl.scans.init(t.settings.Timeout, t.settings.PrimaryScan)
	for _, r := range *t.regions.regions.Load() {
		for _, replica := range r.replicas {
			_, _ = replica.server.slots[slot].begin() // a read that needs the connection reports its error
		}
	}
	return tl
}

// begin starts a read.
func (tl *timeline) begin(ctx context.Context, first *opDeadline) {
	tl.asked, tl.first = false, first
	first.begin(ctx)
}

// close releases timers.
func (tl *timeline) close() {
	if tl != nil {
		tl.gets.close()
		tl.scans.close()
	}
}

// take returns a call that nobody waits for.
func (tl *timeline) take() *rpc.Call {
	n := len(tl.calls)
	if n == 0 {
		return rpc.NewCall()
	}
	call := tl.calls[n-1]
	tl.calls = tl.calls[:n-1]
	return call
}

// give keeps a call for later requests.
func (tl *timeline) give(call *rpc.Call) { tl.calls = append(tl.calls, call) }

// fetch carries out a read that is one request to the region of key, or to its replicas. Its answer is that of the session's call.
func (s *session) fetch(key []byte, encode func(*session, *region)) error {
	if s.timeline == nil {
		return s.single(key, encode)
	}
	var try attempt
	for {
		err := s.hedged(key, encode)
		if s.call == nil {
			s.call = s.timeline.take()
		}
		if err == nil {
			return nil
		}
		if end := s.again(&try, err, nil, nil); end != nil {
			return end
		}
	}
}

// hedged tries a read once.
func (s *session) hedged(key []byte, encode func(*session, *region)) error {
	r, conn, err := s.reachFirst(key)
	if err != nil {
		if r != nil && !overdue(err) {
			s.note(remedyOf(err), err, r, conn)
		}
		return s.askReplicas(key, encode, nil, err)
	}
	first := s.timeline.first
	s.call.Request, s.call.Cells = s.call.Request[:0], s.call.Cells[:0]
	encode(s, r)
	s.call.Timeout = s.deadline.start()
	first.start()
	first.at(conn)
	conn.Do(s.call, first.over)
	late := first.await(s.call)
	switch {
	case late == nil:
		_, _, err = s.call.Answer()
		if err == nil || remedyOf(err) == giveUp {
			return err
		}
		s.note(remedyOf(err), err, r, conn)
		return s.askReplicas(key, encode, nil, err)
	case s.deadline.ctx.Err() != nil:
		return s.abandon(&s.call, conn, late, r)
	}
	open := []pending{{r, conn, s.call}}
	s.call = nil
	return s.askReplicas(key, encode, open, nil)
}

// reachFirst finds the region of a key and a connection to its server. If the region has replicas, it does so within the time after
// which they are asked; a look-up or a dial that takes longer goes on, for later operations.
func (s *session) reachFirst(key []byte) (*region, *rpc.Conn, error) {
	r := s.t.regions.find(key)
	if r != nil {
		if c := r.server.slots[s.slot].conn.Load(); c != nil {
			return r, c, nil
		}
	}
	within := s.deadline.timeout
	if known := s.t.regions.cover(key); known != nil && len(known.replicas) > 0 {
		within = s.timeline.first.call
	}
	ctx, cancel := s.deadline.until()
	defer cancel()
	ctx, end := context.WithTimeout(ctx, within)
	defer end()
	if r == nil {
		var err error
		if r, err = s.t.regions.look(ctx, key); err != nil {
			return nil, nil, err
		}
	}
	c, err := r.server.slots[s.slot].open(ctx)
	return r, c, err
}

// askReplicas sends a read to the replicas of the region of key, and waits for the first good answer, also from the requests that
// are open already. Cause is the error of the region, if it had one.
func (s *session) askReplicas(key []byte, encode func(*session, *region), open []pending, cause error) error {
	within := s.deadline.start()
	send := func(replica *region, conn *rpc.Conn) {
		s.call = s.timeline.take()
		s.call.Request, s.call.Cells, s.call.Timeout = s.call.Request[:0], s.call.Cells[:0], within
		encode(s, replica)
		conn.Send(s.call)
		open = append(open, pending{replica, conn, s.call})
		s.call = nil
	}
	if s.call != nil {
		s.timeline.give(s.call)
		s.call = nil
	}
	if known := s.t.regions.cover(key); known != nil && len(known.replicas) > 0 {
		if !s.timeline.asked {
			s.timeline.asked = true
			s.t.hedges.asked.Add(1)
		}
		if err := s.toReplicas(known, send); err != nil {
			s.t.regions.refresh(key)
			if cause == nil {
				cause = err
			}
		}
	}
	if len(open) == 0 {
		return cause
	}
	return s.firstOf(open, cause, key)
}

// dialPatience is how long a read waits for a connection to a replica when it has no other replica to ask.
const dialPatience = time.Second

// toReplicas sends a read to the replicas whose servers are connected, and to one more if there are none. It returns why replicas
// were left out.
func (s *session) toReplicas(known *region, send func(*region, *rpc.Conn)) error {
	var failed error
	sent := 0
	var apart []*region
	for _, replica := range known.replicas {
		if c := replica.server.slots[s.slot].conn.Load(); c != nil {
			send(replica, c)
			sent++
		} else {
			apart = append(apart, replica)
		}
	}
	for _, replica := range apart {
		if sent > 0 { // dial, for later reads
			if _, err := replica.server.slots[s.slot].begin(); err != nil {
				failed = err
			}
			continue
		}
		ctx, cancel := context.WithTimeout(s.deadline.ctx, min(dialPatience, max(0, time.Until(s.deadline.deadline))))
		c, err := replica.server.slots[s.slot].open(ctx)
		cancel()
		if err != nil {
			failed = err
			continue
		}
		send(replica, c)
		sent++
	}
	return failed
}

// answeredStale counts an operation that a replica has answered.
func (t *Table) answeredStale(found bool) {
	t.hedges.stale.Add(1)
	if !found {
		t.hedges.missing.Add(1)
	}
}
