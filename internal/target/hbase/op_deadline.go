package hbase

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// opDeadline is the deadline of an operation and of each of its calls. One timer serves all operations of a session and is not
// reset for each: when it fires, the worker checks whether the current call is late.
//
// A worker that reads its connection itself cannot select on timer and context: both make it yield.
type opDeadline struct {
	ctx      context.Context //nolint:containedctx // of the operation, set by begin
	ended    <-chan struct{} // ctx.Done()
	forget   func() bool     // stops the AfterFunc of ctx
	deadline time.Time
	bound    time.Time // of the call: hbase.rpc.timeout after it began, or the deadline
	fresh    bool      // bound is right for a call that begins now
	whole    bool      // the call has all of hbase.rpc.timeout, not only the operation's rest
	timer    *time.Timer
	fired    chan struct{} // receives when the timer fires
	timeout  time.Duration // of an operation
	call     time.Duration // of a call, timeout at most

	conn  atomic.Pointer[rpc.Conn] // the one that the worker may be reading
	over  func() bool              // reports whether the worker must not begin to read
	yield func()
}

// init prepares the first operation.
func (d *opDeadline) init(timeout, call time.Duration) {
	d.timeout, d.call, d.fired = timeout, min(timeout, call), make(chan struct{}, 1)
	d.yield = func() {
		if c := d.conn.Load(); c != nil {
			c.Yield()
		}
	}
	d.over = func() bool {
		select {
		case <-d.ended:
			return true
		default:
			return len(d.fired) > 0
		}
	}
	d.timer = time.AfterFunc(time.Hour, func() {
		select {
		case d.fired <- struct{}{}:
		default:
		}
		d.yield()
	})
	d.timer.Stop()
}

// close releases timer and context.
func (d *opDeadline) close() {
	d.timer.Stop()
	if d.forget != nil {
		d.forget()
	}
}

// begin starts the next operation's time.
func (d *opDeadline) begin(ctx context.Context) {
	if ctx != d.ctx {
		if d.forget != nil {
			d.forget()
		}
		d.ctx, d.ended, d.forget = ctx, ctx.Done(), context.AfterFunc(ctx, d.yield)
	}
	first := d.deadline.IsZero()
	now := time.Now()
	d.deadline, d.bound, d.fresh = now.Add(d.timeout), now.Add(d.call), true
	if first {
		d.timer.Reset(d.call)
	}
}

// start starts the time of a call that is about to be sent, and returns it. Calls that are sent together share it.
func (d *opDeadline) start() time.Duration {
	if d.fresh {
		d.fresh, d.whole = false, true
		return d.call
	}
	now := time.Now()
	d.bound = now.Add(d.call)
	if d.whole = !d.deadline.Before(d.bound); !d.whole {
		d.bound = d.deadline
	}
	left := max(d.bound.Sub(now), time.Millisecond)
	d.timer.Reset(left)
	return left
}

// at sets the connection that the worker may read from now on. The end of its time either finds that connection and makes it
// yield, or is seen by over.
func (d *opDeadline) at(c *rpc.Conn) {
	if d.conn.Load() != c {
		d.conn.Store(c)
	}
}

// errLate is the error of a call without an answer within hbase.rpc.timeout.
var errLate = errors.New("not answered within hbase.rpc.timeout")

// await waits for the end of a call. Late is errLate when the call's time is over, and a context's error when the operation's
// is.
func (d *opDeadline) await(call *rpc.Call) (late error) {
	select {
	case <-call.Done(): // always if the worker has read the answer itself
		return nil
	default:
	}
	for {
		select {
		case <-call.Done():
			return nil
		case <-d.fired:
			if late := d.rearm(d.bound); late != nil {
				return late
			}
		case <-d.ended:
			return d.ctx.Err()
		}
	}
}

// receive waits for a result as await does for a call.
func (d *opDeadline) receive(done <-chan error) (err, late error) {
	for {
		select {
		case err := <-done:
			return err, nil
		case <-d.fired:
			if late := d.rearm(d.deadline); late != nil {
				return nil, late
			}
		case <-d.ended:
			return nil, d.ctx.Err()
		}
	}
}

// rearm resets the timer after it has fired, or returns an error if bound has passed.
func (d *opDeadline) rearm(bound time.Time) error {
	now := time.Now()
	if left := bound.Sub(now); left > 0 {
		d.timer.Reset(min(left, d.call)) // the next operation's call may be late before this one's deadline
		return nil
	}
	d.timer.Reset(0) // for the operation's other calls
	if now.Before(d.deadline) {
		return errLate
	}
	return context.DeadlineExceeded
}

// isOver reports whether the operation has no time left.
func (d *opDeadline) isOver() bool { return d.ctx.Err() != nil || time.Until(d.deadline) <= 0 }

// until returns a context that ends with the operation's time. It allocates, so it is for rare cases.
func (d *opDeadline) until() (context.Context, context.CancelFunc) {
	d.fresh = false
	return context.WithDeadline(d.ctx, d.deadline)
}
