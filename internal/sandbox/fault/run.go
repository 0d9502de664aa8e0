package fault

import (
	"context"
	"time"
)

// Cluster is the part of the sandbox that events use.
type Cluster interface {
	// KillServer ends a region server as kill -9 does: without notice, and data that was not synced is lost.
	KillServer(ctx context.Context, name string) error
	// RestartServer starts a killed region server again at its address, with a new start code. It kills a live one first.
	RestartServer(ctx context.Context, name string) error
	// SilenceServer stops a region server as SIGSTOP does: its connections stay open, and nothing is answered.
	SilenceServer(ctx context.Context, name string) error
	// ResumeServer continues a silent region server. If others serve its regions by now, it is started again.
	ResumeServer(ctx context.Context, name string) error
	// AddServer starts one more region server.
	AddServer(ctx context.Context) error
}

// Run carries out events, and ends faults whose time is over, until ctx ends.
func (p *Plan) Run(ctx context.Context, cluster Cluster) {
	for {
		due, next := p.due(time.Now())
		for _, e := range due {
			err := e.do(ctx, cluster)
			p.done(e, err)
		}
		if len(due) > 0 {
			continue
		}
		if !p.sleep(ctx, next) {
			return
		}
	}
}

// event is one action on a server.
type event struct {
	fault *active
	last  bool // the end of the fault
}

// due returns the events to carry out now, and the time of the next one, or the zero time.
func (p *Plan) due(now time.Time) (due []event, next time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	soonest := func(at time.Time) {
		if at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	for _, a := range p.faults {
		soonest(a.end)
		if !a.Kind.Event() {
			continue
		}
		soonest(a.begin)
		switch {
		case !a.happened && !now.Before(a.begin):
			due = append(due, event{fault: a})
		case a.happened && !a.returned && a.trouble == "" && a.returns() && !now.Before(a.begin.Add(a.Length)):
			due = append(due, event{fault: a, last: true})
		}
	}
	p.publish(now)
	return due, next
}

// returns reports whether a server returns at the end of the fault.
func (a *active) returns() bool {
	return (a.Kind == KillServer || a.Kind == SilenceServer) && a.Length > 0
}

func (e event) do(ctx context.Context, cluster Cluster) error {
	if e.fault.Kind == AddServer {
		return cluster.AddServer(ctx)
	}
	name := e.fault.Where.Servers[0]
	switch {
	case e.fault.Kind == SilenceServer && e.last:
		return cluster.ResumeServer(ctx, name)
	case e.fault.Kind == SilenceServer:
		return cluster.SilenceServer(ctx, name)
	case e.fault.Kind == KillServer && !e.last:
		return cluster.KillServer(ctx, name)
	default:
		return cluster.RestartServer(ctx, name)
	}
}

func (p *Plan) done(e event, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.fault.happened = true
	e.fault.returned = e.last
	if err != nil {
		e.fault.trouble = err.Error()
		return
	}
	if !e.last {
		e.fault.hits.Add(1)
	}
}

// sleep waits until an instant (without end if it is zero), or until faults change; it reports whether ctx is still
// alive.
func (p *Plan) sleep(ctx context.Context, until time.Time) bool {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	rang := make(chan struct{})
	go func() {
		defer close(rang)
		if until.IsZero() {
			<-waiting.Done()
			return
		}
		_ = p.timer.Wait(waiting, until) // the checks below find out why it ended
	}()
	select {
	case <-rang:
	case <-p.changed:
	}
	cancel()
	<-rang
	return ctx.Err() == nil
}
