package load

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// partyWithin is how far apart the starts may be that a Gate takes for one: the agents of a process have clocks of
	// their own, and each maps the instant of the start to its own.
	partyWithin = 5 * time.Millisecond
	// settleWithin bounds how long a worker that has done its first operation lets the others send theirs. It takes
	// microseconds for each, unless the machine gives the process no processor.
	settleWithin = time.Second
)

// Gate lets the workers of a process begin together. On a machine with fewer processors than workers a target that
// answers at once keeps each worker busy until the scheduler takes its processor away, tens of milliseconds later, and
// meanwhile nobody looks at the timers of the others. So workers of all runners that share a Gate and start at the same
// instant
//
//  1. wait for it at the gate, without a timer of their own, while one of each runner watches the clock;
//  2. pass when all runners have reached the instant, and send their first operations;
//  3. go on to the second one when all have sent the first.
//
// The zero Gate is ready for use.
type Gate struct {
	mu     sync.Mutex
	coming []*party // those that have not passed yet
}

// party is the workers that pass a Gate together.
type party struct {
	gate   *Gate
	at     time.Time
	due    int // segments that have not reached the instant; under the gate's lock
	passed chan struct{}
	unsent atomic.Int64 // workers that are to send their first operation at once, and have not
}

// enter announces a segment that starts at an instant, and how many workers it has that send at once.
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

// arrive notes that a segment has reached its start, or will not begin. The last one opens the gate.
func (p *party) arrive() {
	p.gate.mu.Lock()
	defer p.gate.mu.Unlock()
	if p.due--; p.due > 0 {
		return
	}
	p.gate.coming = slices.DeleteFunc(p.gate.coming, func(q *party) bool { return q == p })
	close(p.passed)
}

// settle lets others run until all have sent their first operation.
func (p *party) settle() {
	for began := time.Now(); p.unsent.Load() > 0 && time.Since(began) < settleWithin; {
		runtime.Gosched()
	}
}

// pass waits for the start at the gate; ok is false when the worker need not begin.
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

// sends notes that the worker sends its first operation, or sends none.
func (w *worker) sends() {
	if w.counted {
		w.counted = false
		w.s.party.unsent.Add(-1)
	}
}
