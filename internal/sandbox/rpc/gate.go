package rpc

import "sync/atomic"

// Gate stops a server as SIGSTOP stops a process: while it is shut, no connection is accepted and no call is read,
// carried out or answered, but connections stay open. The zero Gate is open.
type Gate struct {
	opened atomic.Pointer[chan struct{}] // closed when it opens; nil while it is open
}

// Shut blocks callers of Wait from now on.
func (g *Gate) Shut() {
	opened := make(chan struct{})
	g.opened.CompareAndSwap(nil, &opened)
}

// Open releases all waiters.
func (g *Gate) Open() {
	if opened := g.opened.Swap(nil); opened != nil {
		close(*opened)
	}
}

// Wait waits while the gate is shut, at most until done is closed.
func (g *Gate) Wait(done <-chan struct{}) {
	opened := g.opened.Load()
	if opened == nil {
		return
	}
	select {
	case <-*opened:
	case <-done:
	}
}
