package mongodb

import (
	"context"
	"sync"
	"time"
)

// opContext is the context of a session's operations, one after another. A context for each would cost more than the rest of an
// operation: the deadline moves with each operation, one timer serves all of them, and Done is closed only if it fires during one.
type opContext struct {
	parent  context.Context //nolint:containedctx // of the phase
	forget  func() bool     // stops the AfterFunc of parent
	timeout time.Duration

	mu       sync.Mutex
	deadline time.Time
	done     chan struct{}
	err      error // set when done is closed
	timer    *time.Timer
	armed    bool
	after    map[*func()]struct{} // the functions of AfterFunc
}

var _ context.Context = (*opContext)(nil)

// newOpContext makes the context of a session.
func newOpContext(timeout time.Duration) *opContext {
	c := &opContext{timeout: timeout, done: make(chan struct{}), parent: context.Background(), after: make(map[*func()]struct{})}
	c.timer = time.AfterFunc(time.Hour, c.fire)
	c.timer.Stop()
	return c
}

// begin starts the time of the next operation.
func (c *opContext) begin(parent context.Context) {
	if parent != c.parent {
		if c.forget != nil {
			c.forget()
		}
		c.parent = parent
		c.forget = context.AfterFunc(parent, func() { c.end(parent.Err()) })
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = time.Now().Add(c.timeout)
	if c.err != nil && parent.Err() == nil {
		c.err, c.done = nil, make(chan struct{})
	}
	if !c.armed {
		c.armed = true
		c.timer.Reset(c.timeout)
	}
}

// fire ends the operation if its time is over, or waits for the rest of the current one's.
func (c *opContext) fire() {
	c.mu.Lock()
	left := time.Until(c.deadline)
	if left > 0 {
		c.timer.Reset(left)
		c.mu.Unlock()
		return
	}
	c.armed = false
	c.mu.Unlock()
	c.end(context.DeadlineExceeded)
}

// end closes Done.
func (c *opContext) end(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	close(c.done)
	after := c.after
	c.after = make(map[*func()]struct{})
	c.mu.Unlock()
	for f := range after {
		go (*f)()
	}
}

// close releases the timer and the parent.
func (c *opContext) close() {
	c.timer.Stop()
	if c.forget != nil {
		c.forget()
	}
}

// Deadline returns the end of the current operation.
func (c *opContext) Deadline() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.deadline, true
}

// Done returns a channel that is closed when the current operation's time is over.
func (c *opContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done
}

// Err returns why Done is closed.
func (c *opContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Value returns a value of the phase's context.
func (c *opContext) Value(key any) any { return c.parent.Value(key) }

// AfterFunc has f called when Done is closed. Package context uses it for the contexts that the driver derives for each operation.
func (c *opContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	id := &f
	c.after[id] = struct{}{}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, waiting := c.after[id]
		delete(c.after, id)
		return waiting
	}
}
