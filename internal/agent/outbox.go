package agent

import (
	"sync"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
)

// outbox is the queue of outgoing messages of one stream. Answers to probes overtake all others, because a probe that
// waits behind windows cannot measure a clock. The others are sent in order.
type outbox struct {
	ready chan struct{} // holds a token when there is something new

	mu       sync.Mutex
	replies  []*benchdv1.ProbeReply
	queue    []letter
	finished bool // no message will be added
}

// letter is a message, or a kept window.
type letter struct {
	message *benchdv1.SessionRequest
	kept    *keptWindow
}

func newOutbox() *outbox { return &outbox{ready: make(chan struct{}, 1)} }

func (o *outbox) add(m *benchdv1.SessionRequest, kept *keptWindow) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = append(o.queue, letter{m, kept})
	o.announce()
}

func (o *outbox) reply(r *benchdv1.ProbeReply) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.replies = append(o.replies, r)
	o.announce()
}

// finish closes our side of the stream when all messages are sent.
func (o *outbox) finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.finished = true
	o.announce()
}

func (o *outbox) announce() {
	select {
	case o.ready <- struct{}{}:
	default:
	}
}

// take returns the next message to send: a message, a window to be fetched, or an answer to a probe in which the time is
// still to be set. over is true when nothing more will come.
func (o *outbox) take() (next letter, reply *benchdv1.ProbeReply, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.replies) > 0 {
		reply, o.replies = o.replies[0], o.replies[1:]
		return letter{}, reply, false
	}
	for len(o.queue) > 0 {
		next = o.queue[0]
		o.queue[0] = letter{}
		o.queue = o.queue[1:]
		if next.kept == nil || !next.kept.released.Load() {
			return next, nil, false
		}
	}
	return letter{}, nil, o.finished
}
