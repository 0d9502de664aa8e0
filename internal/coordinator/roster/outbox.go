package roster

import (
	"sync"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
)

const (
	// mostQueued bounds the messages that wait for an agent that does not read; more of them end its stream.
	mostQueued = 1024
	// keptRoom is the room for messages that an idle session keeps: thousands of sessions have one each.
	keptRoom = 8
)

// outbox has the messages that wait for being sent to an agent, in their order.
type outbox struct {
	ready chan struct{} // has an element if messages may wait

	mu     sync.Mutex
	queued []*benchdv1.SessionResponse
}

func newOutbox() *outbox { return &outbox{ready: make(chan struct{}, 1)} }

// put queues a message; it reports false if there are too many.
func (o *outbox) put(m *benchdv1.SessionResponse) bool {
	o.mu.Lock()
	full := len(o.queued) >= mostQueued
	if !full {
		o.queued = append(o.queued, m)
	}
	o.mu.Unlock()
	if full {
		return false
	}
	select {
	case o.ready <- struct{}{}:
	default: // the sender has not looked since
	}
	return true
}

// take returns the queued messages. It reuses the room of those that it returned before.
func (o *outbox) take(sent []*benchdv1.SessionResponse) []*benchdv1.SessionResponse {
	clear(sent)
	if cap(sent) > keptRoom {
		sent = nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.queued
	o.queued = sent[:0]
	return taken
}
