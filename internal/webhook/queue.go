package webhook

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/benchd/benchd/internal/clock"
)

// Pauses between the attempts of a delivery.
const (
	firstPause = time.Second
	longest    = 5 * time.Minute
	maxAsked   = time.Hour // that a receiver may ask for
)

// queue has the deliveries of a hook, the oldest first. The mutex of the outbox protects it.
type queue struct {
	hook    string
	entries []*entry
	serving bool          // a goroutine sends them
	kick    chan struct{} // ends a pause
	last    Last
}

// Last is what was sent last to a hook.
type Last struct {
	At     time.Time `json:"at"`
	Event  string    `json:"event"`
	Suite  string    `json:"suite,omitempty"`
	Status int       `json:"status,omitempty"` // of HTTP; 0 for no answer
	Error  string    `json:"error,omitempty"`  // empty if it was accepted
}

// queueOf returns the queue of a hook. The caller holds o.mu.
func (o *Outbox) queueOf(hook string) *queue {
	q := o.queues[hook]
	if q == nil {
		q = &queue{hook: hook, kick: make(chan struct{}, 1)}
		o.queues[hook] = q
	}
	return q
}

// enqueue adds a delivery to the queue of its hook.
func (o *Outbox) enqueue(e *entry) {
	o.mu.Lock()
	q := o.queueOf(e.Hook)
	q.entries = append(q.entries, e)
	var oldest *entry
	if len(q.entries) > MaxQueue {
		oldest = q.entries[0]
		q.entries = q.entries[1:]
	}
	if !q.serving && o.life.Err() == nil {
		q.serving = true
		o.tasks.Go(func() { o.serve(q) })
	}
	o.mu.Unlock()
	if oldest != nil {
		o.drop(oldest, overflowed, "the queue of the hook is full")
	}
}

// drop gives a delivery up, which has left its queue.
func (o *Outbox) drop(e *entry, why outcome, reason string) {
	o.metrics.done(e.Hook, why)
	o.log.Error("webhooks: a notice is dropped", "hook", e.Hook, "event", e.Notice.Event, "notice", e.ID, "reason", reason)
	o.forget(e)
}

// first returns the oldest delivery of a queue. If there is none, its goroutine ends.
func (o *Outbox) first(q *queue) *entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(q.entries) == 0 || o.life.Err() != nil {
		q.serving = false
		return nil
	}
	return q.entries[0]
}

// remove removes a delivery from a queue, and reports whether it was there: it may have been dropped meanwhile.
func (o *Outbox) remove(q *queue, e *entry) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(q.entries) == 0 || q.entries[0] != e {
		return false
	}
	q.entries = q.entries[1:]
	return true
}

// serve sends the deliveries of a queue until it is empty.
func (o *Outbox) serve(q *queue) {
	tried := 0
	for e := o.first(q); e != nil; e = o.first(q) {
		rules := o.config.File.Rules()
		hook := rules.find(q.hook)
		switch {
		case hook == nil:
			o.finish(q, e, removed, "the file has no such hook any more")
			continue
		case o.old(e):
			o.finish(q, e, expired, "it could not be delivered within "+MaxAge.String())
			continue
		}
		a := o.attempt(o.life, rules, hook, e)
		switch {
		case o.life.Err() != nil:
			return
		case a.err == nil:
			tried = 0
			if o.remove(q, e) {
				o.metrics.done(q.hook, delivered)
				o.forget(e)
			}
		case a.final:
			tried = 0
			o.finish(q, e, refused, a.err.Error())
		default:
			tried++
			o.metrics.retries.WithLabelValues(q.hook).Inc()
			wait := max(backoff(tried), a.after)
			o.log.Warn("webhooks: a delivery is tried again", "hook", q.hook, "event", e.Notice.Event, "notice", e.ID, "error", a.err, "next_try", wait.Round(time.Millisecond))
			if !o.pause(wait, q.kick) {
				return
			}
		}
	}
}

// finish drops a delivery.
func (o *Outbox) finish(q *queue, e *entry, why outcome, reason string) {
	if o.remove(q, e) {
		o.drop(e, why, reason)
	}
}

// attempt sends a delivery once, and notes the answer.
func (o *Outbox) attempt(ctx context.Context, rules *Rules, hook *Hook, e *entry) answer {
	began, at := clock.Mono(), o.config.Clock.Wall()
	a := rules.send(ctx, hook, e.Notice, at, "benchd/"+o.config.Version)
	last := Last{At: at, Event: string(e.Notice.Event), Status: a.status}
	if e.Notice.Suite != nil {
		last.Suite = e.Notice.Suite.ID
	}
	if a.err != nil {
		last.Error = a.err.Error()
	}
	o.metrics.seconds.WithLabelValues(hook.Name).Observe(clock.Mono().Sub(began).Seconds())
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queueOf(hook.Name).last = last
	return a
}

// backoff returns the pause after a number of attempts: doubled each time, and up to a quarter shorter or longer, so that many
// coordinators do not come together to a receiver that has recovered.
func backoff(tried int) time.Duration {
	pause := longest
	if shift := tried - 1; shift < 10 {
		pause = min(firstPause<<shift, longest)
	}
	return time.Duration(float64(pause) * (0.75 + rand.Float64()/2)) //nolint:gosec // not a secret
}
