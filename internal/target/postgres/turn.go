package postgres

import (
	"context"
	"net"
	"sync/atomic"
	"time"
)

// turn bounds the time of a session's operations. The worker increments its number at the start and at the end of an operation, so it is
// odd during one. The target's watch finds an operation under the same number for too long, and interrupts it.
type turn struct {
	number atomic.Uint64 // with the bit interrupted
	conn   atomic.Pointer[net.Conn]

	seen  uint64 // by the last look that found another number
	since time.Time
}

const interrupted = 1 << 63

// begin starts an operation.
func (t *turn) begin() { t.number.Add(1) }

// end ends it, and reports whether it was interrupted: then its connection cannot be used again.
func (t *turn) end() (late bool) {
	n := t.number.Load()
	if n&interrupted == 0 && t.number.CompareAndSwap(n, n+1) {
		return false
	}
	t.number.Store((n&^interrupted + 1))
	return true
}

// look interrupts an operation that has been under way for longer than limit.
func (t *turn) look(now time.Time, limit time.Duration) {
	n := t.number.Load()
	if n != t.seen {
		t.seen, t.since = n, now
		return
	}
	if n%2 == 1 && n&interrupted == 0 && now.Sub(t.since) >= limit && t.number.CompareAndSwap(n, n|interrupted) {
		t.interrupt()
	}
}

// interrupt ends reads and writes of the connection.
func (t *turn) interrupt() {
	if c := t.conn.Load(); c != nil {
		_ = (*c).SetDeadline(time.Unix(1, 0)) // it fails on a closed connection
	}
}

// phase is the context of a phase's operations. Its end interrupts the operation under way.
type phase struct {
	ctx    context.Context //nolint:containedctx // the same for all operations of a phase
	ended  <-chan struct{}
	forget func() bool // stops the AfterFunc of ctx
}

// enter makes ctx the context of the operations. It reports whether the end of the one before has interrupted the connection.
func (p *phase) enter(ctx context.Context, interrupt func()) (spent bool) {
	if ctx == p.ctx {
		return false
	}
	spent = p.leave()
	p.ctx, p.ended, p.forget = ctx, ctx.Done(), context.AfterFunc(ctx, interrupt)
	return spent
}

// leave forgets the context, and reports whether it has ended.
func (p *phase) leave() bool {
	if p.forget == nil {
		return false
	}
	stopped := p.forget()
	p.ctx, p.ended, p.forget = nil, nil, nil
	return !stopped
}

// over reports whether the context has ended.
func (p *phase) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}
