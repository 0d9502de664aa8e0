package hbase

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// turn is the time that an operation has. One timer serves all operations of a session: it is not set anew for each,
// but asked, when it fires, whether the operation of that moment is late.
//
// A worker that reads its connection itself cannot look at timer and context meanwhile: both make it yield.
type turn struct {
	ctx      context.Context //nolint:containedctx // of the operation, which begin gives
	ended    <-chan struct{} // ctx.Done()
	forget   func() bool     // ends that ctx's end makes the worker yield
	deadline time.Time
	timer    *time.Timer
	fired    chan struct{} // the timer has
	timeout  time.Duration

	conn  atomic.Pointer[rpc.Conn] // that the worker may be reading
	over  func() bool              // reports whether the worker should not begin to read
	yield func()
}

// init makes the turn ready for its first operation.
func (t *turn) init(timeout time.Duration) {
	t.timeout, t.fired = timeout, make(chan struct{}, 1)
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
	t.deadline = time.Now().Add(t.timeout)
	if first {
		t.timer.Reset(t.timeout)
	}
}

// at says which connection the worker may read from now on. Who ends its time sees either this, or is seen by over.
func (t *turn) at(c *rpc.Conn) {
	if t.conn.Load() != c {
		t.conn.Store(c)
	}
}

// await waits for a call's end. Late is true when the operation's time is over; then the call must not be used again.
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
			if late := t.rearm(); late != nil {
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
			if late := t.rearm(); late != nil {
				return nil, late
			}
		case <-t.ended:
			return nil, t.ctx.Err()
		}
	}
}

// rearm sets the timer, which has fired, for what is left of the operation's time.
func (t *turn) rearm() error {
	left := time.Until(t.deadline)
	if left <= 0 {
		t.timer.Reset(0) // for other calls of the same operation
		return context.DeadlineExceeded
	}
	t.timer.Reset(left)
	return nil
}

// isOver reports whether the operation has no time left.
func (t *turn) isOver() bool { return t.ctx.Err() != nil || time.Until(t.deadline) <= 0 }

// until returns a context that ends with the operation's time, for what is seldom done.
func (t *turn) until() (context.Context, context.CancelFunc) {
	return context.WithDeadline(t.ctx, t.deadline)
}
