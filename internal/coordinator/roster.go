package coordinator

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// forgetAfter is how long an idle agent that has gone stays in the roster.
const forgetAfter = 10 * time.Minute

// maxAgents bounds the roster.
const maxAgents = 4096

// aliveWithin is how recently an agent must have been heard to count as alive when another of its name comes.
const aliveWithin = 3 * time.Second

// member is an agent in the roster.
type member struct {
	name string

	mu        sync.Mutex
	hello     *benchdv1.Hello
	address   string
	session   *session // nil while it is away
	lastHeard clock.Instant
	clock     clock.Estimator
	draining  bool
	run       string // that it serves
}

func (m *member) heard(now clock.Instant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lastHeard = now
}

func (m *member) addProbe(p clock.Probe) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clock.Add(p)
}

// estimate is what is known of the agent's clock at our instant now.
func (m *member) estimate(now int64) (clock.Estimate, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.clock.Estimate(now)
}

func (m *member) connected() (*session, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.session, m.session != nil
}

func (m *member) boot() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hello.GetBootId()
}

// allowed are the hooks that the agent's operator lets runs ask for.
func (m *member) allowed() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hello.GetHooks()
}

func (m *member) allows(hook string) bool { return slices.Contains(m.allowed(), hook) }

// info describes the agent for people.
func (m *member) info(by *clock.Source) *benchdv1.AgentInfo {
	m.mu.Lock()
	defer m.mu.Unlock()
	info := &benchdv1.AgentInfo{
		Name: m.name, BootId: m.hello.GetBootId(), Labels: m.hello.GetLabels(), Version: m.hello.GetVersion(),
		Host: m.hello.GetHost(), Connected: m.session != nil, Run: m.run, Draining: m.draining,
		Address:        m.address,
		MetricsAddress: scrapeAddress(m.hello.GetMetricsAddress(), m.address),
	}
	if !m.lastHeard.IsZero() {
		info.LastHeard = wire.FromTime(by.Wall().Add(-m.lastHeard.Elapsed()))
	}
	now := by.Now()
	if est, ok := m.clock.Estimate(now); ok {
		info.ClockOffsetMs = float64(est.Offset(now)) / 1e6
		info.ClockUncertaintyMs = est.Bound / 1e6
		info.ClockDriftPpm = est.Line.Rate * 1e6
	}
	return info
}

// roster is all agents known, by name.
type roster struct {
	mu      sync.Mutex
	members map[string]*member
}

func newRoster() *roster { return &roster{members: make(map[string]*member)} }

// join brings a session into the roster, in place of an earlier one of the same agent. It refuses a second
// living agent of the same name.
func (r *roster) join(s *session, now clock.Instant) (m *member, restarted bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := s.hello.GetName()
	m = r.members[name]
	if m == nil {
		if len(r.members) >= maxAgents {
			return nil, false, wire.Errorf(wire.ErrNotAllowed, "there are %d agents already: no more are served", maxAgents)
		}
		m = &member{name: name, hello: s.hello}
		r.members[name] = m
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	sameBoot := m.hello.GetBootId() == s.hello.GetBootId()
	if old := m.session; old != nil {
		if !sameBoot && now.Sub(m.lastHeard) < aliveWithin {
			return nil, false, wire.Errorf(wire.ErrNameTaken,
				"an agent named %q is connected already (from %s): give this one another --name", name, m.address)
		}
		old.end(errReplaced)
	}
	if !sameBoot {
		m.clock = clock.Estimator{} // another process, another clock
	}
	m.hello, m.session, m.address, m.lastHeard = s.hello, s, s.address, now
	return m, !sameBoot, nil
}

// expect puts an agent into the roster that serves a run and has not come back yet.
func (r *roster) expect(name, boot, run string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.members[name] == nil {
		r.members[name] = &member{name: name, hello: &benchdv1.Hello{Name: name, BootId: boot}, run: run}
	}
}

// leave takes a session out of the roster; it reports whether the agent is away now.
func (r *roster) leave(s *session) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.members[s.hello.GetName()]
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.session != s {
		return false
	}
	m.session = nil
	return true
}

func (r *roster) get(name string) *member {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.members[name]
}

// all gives the agents by name, and forgets those that have been away for long.
func (r *roster) all(now clock.Instant) []*member {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, m := range r.members {
		m.mu.Lock()
		if m.session == nil && m.run == "" && now.Sub(m.lastHeard) > forgetAfter {
			delete(r.members, name)
		}
		m.mu.Unlock()
	}
	return slices.SortedFunc(maps.Values(r.members), func(a, b *member) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
}

// matching gives the connected agents that have the labels and are not draining, by name.
func (r *roster) matching(labels map[string]string, now clock.Instant) []*member {
	var out []*member
	for _, m := range r.all(now) {
		m.mu.Lock()
		fits := m.session != nil && !m.draining && hasLabels(m.hello.GetLabels(), labels)
		m.mu.Unlock()
		if fits {
			out = append(out, m)
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

// serve marks the agent as serving a run ("" for none).
func (m *member) serve(run string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.run = run
}

func (m *member) serving() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.run
}

// drain keeps the agent from further runs.
func (m *member) drain(yes bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.draining = yes
}
