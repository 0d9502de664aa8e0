package coordinator

import (
	"container/list"
	"context"
	"sync"
	"time"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// helloWithin is how long an agent may take to send its Hello.
	helloWithin = 10 * time.Second
	// maxWaiting bounds the streams of agents that are not in the roster yet.
	maxWaiting = 1024
)

// lobby has the streams of agents that are not in the roster yet. If there are too many, it ends the oldest: an honest
// agent sends its Hello at once and does not stay.
type lobby struct {
	mu      sync.Mutex
	waiting list.List // of the functions that end the streams, oldest first
}

// enter adds a stream, which end ends, and returns the function that removes it.
func (l *lobby) enter(end context.CancelCauseFunc) (leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting.Len() >= maxWaiting {
		oldest := l.waiting.Front()
		l.waiting.Remove(oldest)
		if end, is := oldest.Value.(context.CancelCauseFunc); is {
			end(wire.Errorf(wire.ErrLimit, "%d streams of agents are waiting for admission, the maximum", maxWaiting))
		}
	}
	place := l.waiting.PushBack(end)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.waiting.Remove(place) // without effect if it was ended
	}
}

// greet receives and validates the Hello.
func (c *Coordinator) greet(ctx context.Context, stream benchdv1.AgentService_SessionServer) (*benchdv1.Hello, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, helloWithin,
		wire.Errorf(context.DeadlineExceeded, "no Hello within %s: the first message of a session must be a Hello", helloWithin))
	defer cancel()
	var first *benchdv1.SessionRequest
	received := make(chan error, 1)
	go func() { // it ends with the stream, which ends when its handler returns
		received <- quarantine.Guard(func() (err error) {
			first, err = stream.Recv()
			return err
		})
	}()
	select {
	case err := <-received:
		if err != nil {
			return nil, err
		}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	hello := first.GetHello()
	if hello == nil {
		return nil, wire.Errorf(wire.ErrMalformed, "the first message of a session must be a Hello")
	}
	if hello.GetProtocol() != wire.Protocol {
		return nil, wire.Errorf(wire.ErrProtocol,
			"agent %q (%s) speaks protocol %d, this coordinator (%s) speaks %d: install the same release on both",
			hello.GetName(), hello.GetVersion(), hello.GetProtocol(), c.config.Version, wire.Protocol)
	}
	if err := wire.CheckHello(hello); err != nil {
		return nil, err
	}
	return hello, ownName(ctx, hello.GetName())
}
