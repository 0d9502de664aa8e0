package hbase

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/rpc"
	"github.com/benchd/benchd/internal/workload"
)

// lastPause bounds the pauses before retries, unless the first one is longer. There is none before the first retry of a region that has
// moved.
const lastPause = time.Second

// attempt has the tries of an operation.
type attempt struct {
	tries int
	pause time.Duration
	cause error // the error of the last try
}

// reach returns the region that holds a key and a connection to its server.
func (s *session) reach(key []byte) (*region, *rpc.Conn, error) {
	r := s.t.regions.find(key)
	if r != nil {
		if c := r.server.slots[s.slot].conn.Load(); c != nil {
			return r, c, nil
		}
	}
	ctx, cancel := s.deadline.until()
	defer cancel()
	if r == nil {
		var err error
		if r, err = s.t.regions.look(ctx, key); err != nil {
			if err == context.DeadlineExceeded || err == context.Canceled { //nolint:errorlint // one that wraps them says more
				err = fmt.Errorf("look up the region of %q: %w", key, err)
			}
			return nil, nil, err
		}
	}
	c, err := r.server.slots[s.slot].open(ctx)
	return r, c, err
}

// single carries out an operation that is one request to the region of key. Encode writes the request into the session's call.
func (s *session) single(key []byte, encode func(*session, *region)) error {
	var try attempt
	for {
		r, conn, err := s.reach(key)
		if err == nil {
			if s.item != nil && s.batched {
				err = s.inBatch(r, conn)
			} else {
				err = s.alone(r, conn, encode)
			}
			if err == nil {
				return nil
			}
		}
		if end := s.again(&try, err, r, conn); end != nil {
			return end
		}
	}
}

// alone sends the current operation by itself.
func (s *session) alone(r *region, conn *rpc.Conn, encode func(*session, *region)) error {
	s.call.Request, s.call.Cells = s.call.Request[:0], s.call.Cells[:0]
	encode(s, r)
	s.call.Timeout = s.deadline.start()
	s.deadline.at(conn)
	conn.Do(s.call, s.deadline.over)
	if late := s.deadline.await(s.call); late != nil {
		return s.abandon(&s.call, conn, late, r)
	}
	_, _, err := s.call.Answer()
	return err
}

// abandon ends the wait for a late call, and returns its error. It replaces the call if that cannot be reused. It drops the
// connection if nothing was answered on it in the meantime: the server may be gone, and its regions may have moved.
func (s *session) abandon(call **rpc.Call, conn *rpc.Conn, late error, regions ...*region) error {
	freed, silent := conn.Abandon(*call)
	if !freed {
		*call = rpc.NewCall()
	}
	if silent && s.deadline.whole && s.deadline.ctx.Err() == nil {
		regions[0].server.slots[s.slot].leave(conn, s.deadline.call, regions)
	}
	if late == errLate { //nolint:errorlint // await returns it as it is
		return lateAt(conn, s.deadline.call)
	}
	return late
}

// lateAt returns the error of a late call.
func lateAt(conn *rpc.Conn, after time.Duration) error {
	return fmt.Errorf("%s: %w (%v)", conn.Addr(), errLate, after)
}

// leave drops a connection on which nothing was answered for the whole time of a call. Its regions may have moved. If they have
// not moved yet, a probe finds out when the server answers again.
func (cs *connSlot) leave(conn *rpc.Conn, after time.Duration, regions []*region) {
	if cs.conn.Load() == conn {
		cs.server.silent.Store(true)
	}
	cs.drop(conn, fmt.Errorf("no answer from %s for %v (hbase.rpc.timeout)", conn.Addr(), after))
	for _, r := range regions {
		r.stale.Store(true)
	}
}

// again handles an error of a try. It pauses and returns nil if the operation is to be retried; otherwise it returns the error
// of the operation.
func (s *session) again(try *attempt, err error, r *region, conn *rpc.Conn) error {
	if s.deadline.isOver() { // err may come from a look-up or a dial, which have less time
		if try.cause == nil && err != context.DeadlineExceeded && err != context.Canceled { //nolint:errorlint // one that wraps them says more
			try.cause = err
		}
		return s.late(try, r)
	}
	what := remedyOf(err)
	if what == giveUp {
		return err
	}
	s.note(what, err, r, conn)
	if try.tries >= s.t.settings.Retries {
		return fmt.Errorf("%w; given up after %d retries (hbase.client.retries.number)", err, try.tries)
	}
	if what != wait && try.tries > 0 {
		if disabled := s.t.checkState(); disabled != nil {
			return disabled
		}
	}
	try.cause = err
	try.tries++
	s.t.retried(err)
	if what == relocate && try.tries == 1 {
		return nil
	}
	try.pause = max(min(2*try.pause, lastPause), s.t.settings.Pause)
	// Spread the retries of workers that failed together.
	pause := try.pause/2 + rand.N(try.pause)
	ctx, cancel := s.deadline.until()
	defer cancel()
	if sleep(ctx, pause) != nil {
		return s.late(try, r)
	}
	return nil
}

// overdue reports whether an error comes from a timeout: of the operation, or of a look-up or dial.
func overdue(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// note marks a region or connection that has failed, for all workers.
func (s *session) note(what remedy, err error, r *region, conn *rpc.Conn) {
	if r == nil || what == wait {
		return
	}
	if addr := movedTo(err); addr != "" && addr != r.server.addr {
		s.t.regions.move(r, addr)
		return
	}
	r.stale.Store(true)
	if what == redial && conn != nil {
		r.server.slots[s.slot].drop(conn, errDropped)
	}
}

// late returns the failure of an operation whose time is over. Its cause is the error of the last try.
func (s *session) late(try *attempt, r *region) error {
	text := fmt.Sprintf("not done within %v (hbase.client.operation.timeout)", s.deadline.timeout)
	if s.deadline.ctx.Err() != nil {
		text = "given up because the phase has ended"
	}
	switch {
	case try.cause != nil:
		text = fmt.Sprintf("%s and %d tries; the last failure", text, try.tries)
	case r != nil:
		text += "; no answer from " + r.server.addr
	}
	return &Failure{Code: workload.Timeout, Text: text, Err: try.cause}
}
