package hbase

import (
	"reflect"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// pending is a request of a timeline-consistent read that may be answered.
type pending struct {
	region *region // or a replica of it
	conn   *rpc.Conn
	call   *rpc.Call // nil once it has ended
}

// firstOf waits for the first good answer, which becomes that of the session's call, and withdraws the other requests.
func (s *session) firstOf(open []pending, cause error, key []byte) error {
	cases := make([]reflect.SelectCase, 0, len(open)+2)
	for _, p := range open {
		cases = append(cases, receives(p.call.Done()))
	}
	cases = append(cases, receives(s.deadline.fired), receives(s.deadline.ended))
	for left := len(open); left > 0; left-- {
		at, late := s.anyOf(cases)
		if late != nil {
			return s.withdraw(open, late)
		}
		p := open[at]
		open[at].call, cases[at].Chan = nil, reflect.Value{}
		_, _, err := p.call.Answer()
		if err == nil {
			s.call, s.scanned = p.call, p.region
			return s.withdraw(open, nil)
		}
		s.timeline.give(p.call)
		if p.region.replica {
			s.t.regions.refresh(key)
		} else if remedyOf(err) == giveUp {
			return s.withdraw(open, err)
		}
		cause = err
		s.note(remedyOf(err), err, p.region, p.conn)
	}
	return cause
}

// anyOf waits until one of several calls has ended, and returns its index. The last two cases are the timer of the session's
// deadline and the end of its context. Late is the error of calls whose time is over.
func (s *session) anyOf(cases []reflect.SelectCase) (at int, late error) {
	timer := len(cases) - 2
	for {
		switch at, _, _ := reflect.Select(cases); at {
		case timer:
			if late := s.deadline.rearm(s.deadline.bound); late != nil {
				return 0, late
			}
		case timer + 1:
			return 0, s.deadline.ctx.Err()
		default:
			return at, nil
		}
	}
}

func receives[T any](c <-chan T) reflect.SelectCase {
	return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}
}

// withdraw ends the wait for the answers that have not come, and returns cause.
func (s *session) withdraw(open []pending, cause error) error {
	for _, p := range open {
		if p.call == nil {
			continue
		}
		freed, silent := p.conn.Abandon(p.call)
		if freed {
			s.timeline.give(p.call)
		}
		if silent {
			p.region.server.slots[s.slot].quiet(p.conn, s.deadline.call, p.region)
		}
		if cause == errLate { //nolint:errorlint // anyOf returns it as it is
			cause = lateAt(p.conn, s.deadline.call)
		}
	}
	return cause
}

// silence is since when a connection has answered nothing, over several withdrawn requests.
type silence struct {
	conn     *rpc.Conn
	answered uint64
	since    time.Time
}

// quiet records that a request was withdrawn before anything was answered on its connection. When the first one of such requests is
// as old as a call may be, the server counts as silent. A server that is only slow answers the withdrawn requests, too.
func (cs *connSlot) quiet(conn *rpc.Conn, within time.Duration, r *region) {
	answered := conn.Answered()
	cs.mu.Lock()
	if q := &cs.silence; q.conn != conn || q.answered != answered {
		*q = silence{conn, answered, time.Now()}
	}
	over := time.Since(cs.silence.since) >= within
	if over {
		cs.silence = silence{}
	}
	cs.mu.Unlock()
	if over {
		cs.leave(conn, within, []*region{r})
	}
}
