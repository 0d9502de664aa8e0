package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/wire"
)

const (
	eventMedia  = "text/event-stream"
	maxReaders  = 1000
	acceptEach  = 10 * time.Second // how long a reader may take to accept an event
	silentFor   = 15 * time.Second // then a comment shows that the connection is alive
	lastEventID = "Last-Event-ID"
	// endID is the id of the last event of a suite or run that has ended. A browser that comes back with it is sent away.
	endID = "end"
)

// follow publishes the progress of a suite or run to a hub until it ends. It reads as this process: each reader has been admitted itself.
func (s *Server) follow(ctx context.Context, id string, h *hub) error {
	var failed error
	err := s.client.Watch(s.config.Coordinator.AsProcess(ctx), id, false, remote.Follower{
		Progress: func(p remote.Progress) {
			if err := h.publish(&p); err != nil {
				failed = err
			}
		},
		Lost: func(string) {},
	})
	if failed != nil {
		return failed
	}
	return err
}

// admit lets the guard decide whether the peer of a request may watch a suite or run, and reports whether that has ended.
func (s *Server) admit(q *request) (ended bool, err error) {
	ctx, stop := context.WithCancel(q.ctx)
	defer stop()
	admitted := false
	err = s.client.Watch(ctx, q.id(), false, remote.Follower{
		Progress: func(p remote.Progress) {
			if !admitted {
				admitted, ended = true, p.Ended
			}
			stop()
		},
		Lost: func(string) { stop() },
	})
	if admitted {
		return ended, nil
	}
	return false, err
}

// events streams the progress of a suite or run.
func (s *Server) events(q *request) error {
	ended, err := s.admit(q)
	if err != nil {
		return err
	}
	seen := q.r.Header.Get(lastEventID)
	if seen == "" {
		seen = q.text("last_event_id")
	}
	if ended && seen == endID {
		q.begun = true
		q.WriteHeader(http.StatusNoContent) // a browser does not connect again
		return nil
	}
	f := s.hubs.join(s.running, q.id())
	if f == nil {
		return wire.Errorf(wire.ErrLimit, "%d clients read events, the maximum: try again later", maxReaders)
	}
	defer s.hubs.leave(f)
	out := &stream{w: q.ResponseWriter, control: http.NewResponseController(q.ResponseWriter)}
	q.Header().Set("Content-Type", eventMedia)
	q.Header().Set("X-Accel-Buffering", "no") // a proxy passes each event on at once
	q.begun = true
	if err := out.send([]byte("retry: 1000\n\n")); err != nil {
		return err
	}
	return s.pump(q.ctx, f.hub, f.position(seen), out)
}

// pump writes the events of a hub until nothing follows.
func (s *Server) pump(ctx context.Context, h *hub, number int, out *stream) error {
	silent := time.NewTicker(silentFor)
	defer silent.Stop()
	for {
		events, last, changed, over, err := h.after(number)
		switch {
		case len(events) > 0:
			number = last
			if err := out.send(events...); err != nil {
				return err
			}
			silent.Reset(silentFor)
			continue
		case over && s.running.Err() != nil:
			return nil // the client connects again, to the next process
		case over:
			return out.end(err)
		}
		select {
		case <-changed:
		case <-silent.C:
			if err := out.send([]byte(":\n\n")); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.running.Done():
			return nil
		}
	}
}

// stream writes events to a client.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// send writes events, and returns an error if the client does not accept them in time.
func (o *stream) send(events ...[]byte) error {
	if err := o.control.SetWriteDeadline(time.Now().Add(acceptEach)); err != nil {
		return fmt.Errorf("stream events: %w", err)
	}
	for _, text := range events {
		if _, err := o.w.Write(text); err != nil {
			return fmt.Errorf("stream events: %w", err)
		}
	}
	if err := o.control.Flush(); err != nil {
		return fmt.Errorf("stream events: %w", err)
	}
	return nil
}

// end writes the last event: why nothing follows.
func (o *stream) end(failed error) error {
	kind, of := "end", any(struct{}{})
	if failed != nil {
		kind, of = "failed", ErrorDocument{Error: Mistake{Message: failed.Error()}}
	}
	text, err := encode(endID, kind, of)
	if err != nil {
		return err
	}
	return o.send(text)
}
