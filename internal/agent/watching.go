package agent

import (
	"context"
	"time"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// sendEvery is how often observations are sent to the coordinator. A figure of a single look is smaller than its
	// name, which is sent each time.
	sendEvery = 5 * time.Second
	// maxNotices is the maximum number of events or warnings in a message.
	maxNotices = 64
)

// watching is what an agent watches for a run.
type watching struct {
	target    bool
	hostEvery time.Duration
	sampler   *observe.Sampler
	end       context.CancelFunc
}

// observe starts, changes or ends the watching of the shard's run. The caller holds the agent's lock.
func (a *Agent) observe(m *benchdv1.Observe) {
	s := a.shards[keyOf(m.GetId())]
	if s == nil || s.recovered || a.leaving || !s.prepareDone() {
		return
	}
	every := time.Duration(max(m.GetHostEveryNs(), 0))
	if w := s.watching; w != nil && w.target == m.GetTarget() && w.hostEvery == every {
		return
	}
	s.unwatch()
	if !m.GetTarget() && every == 0 {
		return
	}
	sources, err := observe.Open(observe.Watch{
		Agent: a.config.Name, Settings: s.settings, Properties: s.properties, Target: m.GetTarget(), Open: a.config.Sources[s.settings.DB],
		HostEvery: every, Dial: a.config.Outbound, Secrets: a.config.Secrets, Credential: a.config.Credential, Logger: s.log,
	})
	if err != nil {
		s.log.Warn("cannot watch the target", "error", err)
	}
	config := observe.SamplerConfig{Sources: sources, Interval: s.settings.Telemetry.Interval, RunTime: s.runTime}
	if m.GetTarget() {
		config.Watcher = a.config.Name
	}
	w := &watching{target: m.GetTarget(), hostEvery: every, sampler: observe.NewSampler(config)}
	var ctx context.Context
	ctx, w.end = context.WithCancel(s.preparing)
	s.watching = w
	a.work.Go(func() { w.sampler.Run(ctx) })
	a.work.Go(func() { s.sendObserved(ctx, w) })
}

// runTime returns the run's time.
func (s *shard) runTime() (time.Duration, bool) {
	s.a.mu.Lock()
	base := s.base
	s.a.mu.Unlock()
	if base == nil {
		return 0, false
	}
	return time.Duration(base.RunTime(s.a.clock.Now())), true
}

// sendObserved sends observations to the coordinator at intervals, until ctx ends. When the shard itself has ended they
// are sent after each look: the run may end at any instant.
func (s *shard) sendObserved(ctx context.Context, w *watching) {
	every := s.settings.Telemetry.Interval
	tick := time.NewTicker(every)
	defer tick.Stop()
	var sent time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			often := sendEvery
			if run, ok := s.runTime(); ok && run > result.WholeLooks*every {
				often *= result.LooksOfAPoint // so that some points are sent together, as before
			}
			s.a.mu.Lock()
			if s.watching == w && (!s.running || now.Sub(sent) >= often) {
				sent = now
				s.sendObservations()
			}
			s.a.mu.Unlock()
		}
	}
}

// sendObservations sends the collected observations, if there is a stream; otherwise they are kept, as far as there is
// room. The caller holds the agent's lock.
func (s *shard) sendObservations() {
	if s.watching == nil || s.a.out == nil || s.released {
		return
	}
	o := s.watching.sampler.Take()
	for len(o.Figures) > 0 || len(o.Happenings) > 0 || len(o.Warnings) > 0 {
		part := o
		part.Figures = o.Figures[:min(len(o.Figures), wire.MaxFigures)]
		part.Happenings = o.Happenings[:min(len(o.Happenings), maxNotices)]
		part.Warnings = o.Warnings[:min(len(o.Warnings), maxNotices)]
		o.Figures, o.Happenings, o.Warnings = o.Figures[len(part.Figures):], o.Happenings[len(part.Happenings):], o.Warnings[len(part.Warnings):]
		s.post(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Observations{
			Observations: wire.FromObservations(s.key.id(), part),
		}})
	}
}

// unwatch ends the watching and sends the remaining observations. The caller holds the agent's lock.
func (s *shard) unwatch() {
	if s.watching == nil {
		return
	}
	s.sendObservations()
	s.watching.end()
	s.watching = nil
}
