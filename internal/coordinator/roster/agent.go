package roster

import (
	"slices"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// Agent is an agent in the roster.
type Agent struct {
	Name string

	mu        sync.Mutex
	hello     *benchdv1.Hello
	boot      string // the fingerprint of its process
	address   string
	secured   string   // the protection of its connection
	session   *Session // nil while it is away
	lastHeard clock.Instant
	clock     clock.Estimator
	draining  bool
	run       string // served by the agent
}

// Heard records that the agent has sent a message.
func (a *Agent) Heard(now clock.Instant) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lastHeard = now
}

// AddProbe records a round trip to the agent, and returns for how long its clock needs no further one.
func (a *Agent) AddProbe(p clock.Probe) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clock.Add(p)
	est, ok := a.clock.Estimate(p.Received)
	if !ok {
		return 0
	}
	return est.FreshFor()
}

// Estimate returns the estimate of the agent's clock at the instant now of our clock.
func (a *Agent) Estimate(now int64) (clock.Estimate, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.clock.Estimate(now)
}

// Connected returns the agent's stream; ok is false while it has none.
func (a *Agent) Connected() (*Session, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.session, a.session != nil
}

// Boot returns the fingerprint of the agent's process.
func (a *Agent) Boot() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.boot
}

// Hooks returns the names of the hooks that the agent's operator allows.
func (a *Agent) Hooks() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.hello.GetHooks()
}

// Allows reports whether the agent's operator allows a hook.
func (a *Agent) Allows(hook string) bool { return slices.Contains(a.Hooks(), hook) }

// Serve marks the agent as serving a run ("" for none).
func (a *Agent) Serve(run string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.run = run
}

// Serving returns the run that the agent serves; empty for none.
func (a *Agent) Serving() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.run
}

// Drain excludes the agent from further runs, or admits it again.
func (a *Agent) Drain(yes bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.draining = yes
}

// Forget orders the agent to drop a shard that no run needs any more.
func (a *Agent) Forget(id *benchdv1.ShardId) {
	s, ok := a.Connected()
	if !ok {
		return
	}
	s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Stop{Stop: &benchdv1.Stop{Id: id, Reason: "the run has ended"}}})
	s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Release{Release: &benchdv1.Release{Id: id}}})
}

// Info describes the agent for clients.
func (a *Agent) Info(by *clock.Source) *benchdv1.AgentInfo {
	a.mu.Lock()
	defer a.mu.Unlock()
	info := &benchdv1.AgentInfo{
		Name: a.Name, Labels: a.hello.GetLabels(), Version: a.hello.GetVersion(),
		Host: a.hello.GetHost(), Connected: a.session != nil, Run: a.run, Draining: a.draining,
		Address:        a.address,
		MetricsAddress: scrapeAddress(a.hello.GetMetricsAddress(), a.address),
	}
	if !a.lastHeard.IsZero() {
		info.LastHeard = wire.FromTime(by.Wall().Add(-a.lastHeard.Elapsed()))
	}
	now := by.Now()
	if est, ok := a.clock.Estimate(now); ok {
		info.ClockOffsetMs = float64(est.Offset(now)) / 1e6
		info.ClockUncertaintyMs = est.Bound / 1e6
		info.ClockDriftPpm = est.Line.Rate * 1e6
	}
	return info
}

// Provenance records the assignment of a shard to the agent, for results.
func (a *Agent) Provenance(shard, workers int) result.Agent {
	a.mu.Lock()
	defer a.mu.Unlock()
	host := a.hello.GetHost()
	return result.Agent{
		Name: a.Name, Version: a.hello.GetVersion(), Shard: shard, Attempt: 1, Workers: workers, Connection: a.secured,
		Hostname: host.GetHostname(), OS: host.GetOs(), Kernel: host.GetKernel(), CPU: host.GetCpuModel(),
		Cores: int(host.GetCores()), CPUs: host.GetCpus(), Memory: host.GetMemoryBytes(), Go: host.GetGoVersion(), RawIO: host.GetRawIo(), Labels: a.hello.GetLabels(),
	}
}
