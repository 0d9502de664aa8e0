package load

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// partyWithin is the maximum difference of two starts that a Gate treats as one: each agent of a process maps the
	// instant of the start to its own clock.
	partyWithin = 5 * time.Millisecond
	// settleWithin bounds how long a worker that has sent its first operation lets the others send theirs. They take
	// microseconds each, unless the machine gives the process no processor.
	settleWithin = time.Second
)

// Gate lets the workers of a process start together. On a machine with fewer processors than workers, a target that
// answers at once keeps each worker busy until the scheduler preempts it, tens of milliseconds later, and meanwhile the
// timers of the others are not checked. So workers of all runners that share a Gate and start at the same instant
//
//  1. wait for it at the gate, without a timer of their own, while one of each runner watches the clock;
//  2. pass when all runners have reached the instant, and send their first operations;
//  3. go on to the second one when all have sent the first.
//
// The zero Gate is ready for use.
type Gate struct {
	mu     sync.Mutex
	coming []*party // parties that have not passed yet
}

// party is a group of workers that pass a Gate together.
type party struct {
	gate   *Gate
	at     time.Time
	due    int // segments that have not reached the instant; under the gate's lock
	passed chan struct{}
	unsent atomic.Int64 // workers that have not sent their first operation
}

// enter announces a segment that starts at an instant, with the number of its workers that send at once.
func (g *Gate) enter(at time.Time, workers int) *party {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.IndexFunc(g.coming, func(p *party) bool { return at.Sub(p.at).Abs() <= partyWithin })
	if i < 0 {
		i = len(g.coming)
		g.coming = append(g.coming, &party{gate: g, at: at, passed: make(chan struct{})})
	}
	p := g.coming[i]
	p.due++
	p.unsent.Add(int64(workers))
	return p
}

// arrive notes that a segment has reached its start, or will not start. The last one opens the gate.
func (p *party) arrive() {
	p.gate.mu.Lock()
	defer p.gate.mu.Unlock()
	if p.due--; p.due > 0 {
		return
	}
	p.gate.coming = slices.DeleteFunc(p.gate.coming, func(q *party) bool { return q == p })
	close(p.passed)
}

// settle yields until all workers have sent their first operation.
func (p *party) settle() {
	for began := time.Now(); p.unsent.Load() > 0 && time.Since(began) < settleWithin; {
		runtime.Gosched()
	}
}

// pass waits for the start at the gate; ok is false when the worker need not start.
func (w *worker) pass() (ok bool) {
	s := w.s
	if w.index == 0 {
		_, ok = w.waitUntil(0)
		s.party.arrive()
		if !ok {
			return false
		}
	}
	select {
	case <-s.party.passed:
		return s.now() < s.endAt.Load()
	case <-s.waiting.Done():
		return false
	}
}

// sends notes that the worker sends its first operation, or will not send any.
func (w *worker) sends() {
	if w.counted {
		w.counted = false
		w.s.party.unsent.Add(-1)
	}
}
