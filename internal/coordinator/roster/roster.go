package roster

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// forgetAfter is how long an idle agent that has disconnected stays in the roster.
	forgetAfter = 10 * time.Minute
	// aliveWithin is how recently an agent must have sent a message to count as alive when another of its name connects.
	aliveWithin = 3 * time.Second
	// answersWithin is how long it has to answer a probe then: a clock that is known well is probed less often than that.
	answersWithin = time.Second
)

// Roster keeps the known agents by name.
type Roster struct {
	mu     sync.Mutex
	agents map[string]*Agent
}

// New returns an empty roster.
func New() *Roster { return &Roster{agents: make(map[string]*Agent)} }

// Join adds a session to the roster, in place of an earlier one of the same agent. It refuses a second living agent of
// the same name. An agent that was killed and restarted can connect before the end of its old stream is noticed, so Join
// waits a moment to see whether the predecessor is alive.
func (r *Roster) Join(ctx context.Context, s *Session) (a *Agent, restarted bool, err error) {
	began := clock.Mono()
	deadline := began.Add(aliveWithin + answersWithin)
	for {
		a, restarted, err := r.join(s, began, clock.Mono())
		if !errors.Is(err, wire.ErrNameTaken) || clock.Mono().After(deadline) {
			return a, restarted, err
		}
		select {
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// join adds a session that has waited since an instant.
func (r *Roster) join(s *Session, began, now clock.Instant) (a *Agent, restarted bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := s.hello.GetName()
	a = r.agents[name]
	if a == nil {
		if err := r.admit(s.address); err != nil {
			return nil, false, err
		}
		a = &Agent{Name: name, hello: s.hello, boot: s.boot}
		r.agents[name] = a
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	sameBoot := Same(a.boot, s.boot)
	if old := a.session; old != nil {
		silent := now.Sub(a.lastHeard)
		if !sameBoot && silent > answersWithin {
			old.poke()
		}
		if !sameBoot && (silent < aliveWithin || now.Sub(began) < answersWithin) {
			return nil, false, wire.Errorf(wire.ErrNameTaken,
				"an agent named %q is connected already (from %s): give this one another --name", name, a.address)
		}
		old.end(errReplaced)
	}
	if !sameBoot {
		a.clock = clock.Estimator{} // another process, another clock
	}
	a.hello, a.boot, a.session, a.address, a.secured, a.lastHeard = s.hello, s.boot, s, s.address, s.secured, now
	return a, !sameBoot, nil
}

// Expect adds an agent to the roster that serves a run and has not reconnected yet; boot is the fingerprint of its process.
func (r *Roster) Expect(name, boot, run string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.agents[name] == nil {
		r.agents[name] = &Agent{Name: name, hello: &benchdv1.Hello{Name: name}, boot: boot, run: run}
	}
}

// Leave removes a session from the roster; it reports whether the agent is away now.
func (r *Roster) Leave(s *Session) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.agents[s.hello.GetName()]
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.session != s {
		return false
	}
	a.session = nil
	return true
}

// Get returns an agent by its name, or nil.
func (r *Roster) Get(name string) *Agent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.agents[name]
}

// All returns the agents by name, and drops those that have been away too long.
func (r *Roster) All() []*Agent {
	now := clock.Mono()
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, a := range r.agents {
		a.mu.Lock()
		if a.session == nil && a.run == "" && now.Sub(a.lastHeard) > forgetAfter {
			delete(r.agents, name)
		}
		a.mu.Unlock()
	}
	return slices.SortedFunc(maps.Values(r.agents), func(a, b *Agent) int { return cmp.Compare(a.Name, b.Name) })
}

// Matching returns the connected agents that have the labels and are not draining, by name.
func (r *Roster) Matching(labels map[string]string) []*Agent { return r.connected(labels, false) }

// Drained returns the connected agents that have the labels, but are draining, by name.
func (r *Roster) Drained(labels map[string]string) []*Agent { return r.connected(labels, true) }

func (r *Roster) connected(labels map[string]string, draining bool) []*Agent {
	var out []*Agent
	for _, a := range r.All() {
		a.mu.Lock()
		fits := a.session != nil && a.draining == draining && hasLabels(a.hello.GetLabels(), labels)
		a.mu.Unlock()
		if fits {
			out = append(out, a)
		}
	}
	return out
}

func hasLabels(have, want map[string]string) bool {
	for k, v := range want {
		if have[k] != v {
			return false
		}
	}
	return true
}
