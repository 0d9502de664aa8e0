package hbase

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// turn is the time that an operation has, and each of its calls. One timer serves all operations of a session: it is not set
// again for each. When it fires, the worker checks whether the call of that moment is late.
//
// A worker that reads its connection itself cannot look at timer and context meanwhile: both make it yield.
type turn struct {
	ctx      context.Context //nolint:containedctx // of the operation, which begin gives
	ended    <-chan struct{} // ctx.Done()
	forget   func() bool     // ends that ctx's end makes the worker yield
	deadline time.Time
	bound    time.Time // of the call: hbase.rpc.timeout after it began, or the deadline
	fresh    bool      // bound is right for a call that begins now
	whole    bool      // the call has all of hbase.rpc.timeout, and not only what is left to the operation
	timer    *time.Timer
	fired    chan struct{} // the timer has
	timeout  time.Duration // of an operation
	call     time.Duration // of a call, timeout at most

	conn  atomic.Pointer[rpc.Conn] // that the worker may be reading
	over  func() bool              // reports whether the worker should not begin to read
	yield func()
}

// init makes the turn ready for its first operation.
func (t *turn) init(timeout, call time.Duration) {
	t.timeout, t.call, t.fired = timeout, min(timeout, call), make(chan struct{}, 1)
	t.yield = func() {
		if c := t.conn.Load(); c != nil {
			c.Yield()
		}
	}
	t.over = func() bool {
		select {
		case <-t.ended:
			return true
		default:
			return len(t.fired) > 0
		}
	}
	t.timer = time.AfterFunc(time.Hour, func() {
		select {
		case t.fired <- struct{}{}:
		default:
		}
		t.yield()
	})
	t.timer.Stop()
}

// close lets go of timer and context.
func (t *turn) close() {
	t.timer.Stop()
	if t.forget != nil {
		t.forget()
	}
}

// begin gives the next operation its time.
func (t *turn) begin(ctx context.Context) {
	if ctx != t.ctx {
		if t.forget != nil {
			t.forget()
		}
		t.ctx, t.ended, t.forget = ctx, ctx.Done(), context.AfterFunc(ctx, t.yield)
	}
	first := t.deadline.IsZero()
	now := time.Now()
	t.deadline, t.bound, t.fresh = now.Add(t.timeout), now.Add(t.call), true
	if first {
		t.timer.Reset(t.call)
	}
}

// start gives a call that is about to be sent its time, and returns it. Several that are sent together share it.
func (t *turn) start() time.Duration {
	if t.fresh {
		t.fresh, t.whole = false, true
		return t.call
	}
	now := time.Now()
	t.bound = now.Add(t.call)
	if t.whole = !t.deadline.Before(t.bound); !t.whole {
		t.bound = t.deadline
	}
	left := max(t.bound.Sub(now), time.Millisecond)
	t.timer.Reset(left)
	return left
}

// at says which connection the worker may read from now on. Who ends its time sees either this, or is seen by over.
func (t *turn) at(c *rpc.Conn) {
	if t.conn.Load() != c {
		t.conn.Store(c)
	}
}

// errLate is the end of a call that is not answered within hbase.rpc.timeout.
var errLate = errors.New("not answered within hbase.rpc.timeout")

// await waits for a call's end. Late is errLate when the call's time is over, and a context's error when the operation's is.
func (t *turn) await(call *rpc.Call) (late error) {
	select {
	case <-call.Done(): // as always where the worker has read it itself
		return nil
	default:
	}
	for {
		select {
		case <-call.Done():
			return nil
		case <-t.fired:
			if late := t.rearm(t.bound); late != nil {
				return late
			}
		case <-t.ended:
			return t.ctx.Err()
		}
	}
}

// receive waits for a result as await does for a call.
func (t *turn) receive(done <-chan error) (err, late error) {
	for {
		select {
		case err := <-done:
			return err, nil
		case <-t.fired:
			if late := t.rearm(t.deadline); late != nil {
				return nil, late
			}
		case <-t.ended:
			return nil, t.ctx.Err()
		}
	}
}

// rearm sets the timer, which has fired, for what is left until bound.
func (t *turn) rearm(bound time.Time) error {
	now := time.Now()
	if left := bound.Sub(now); left > 0 {
		t.timer.Reset(min(left, t.call)) // the next operation's call may be late before this one's deadline
		return nil
	}
	t.timer.Reset(0) // for other calls of the same operation
	if now.Before(t.deadline) {
		return errLate
	}
	return context.DeadlineExceeded
}

// isOver reports whether the operation has no time left.
func (t *turn) isOver() bool { return t.ctx.Err() != nil || time.Until(t.deadline) <= 0 }

// until returns a context that ends with the operation's time, for what is seldom done.
func (t *turn) until() (context.Context, context.CancelFunc) {
	t.fresh = false
	return context.WithDeadline(t.ctx, t.deadline)
}
