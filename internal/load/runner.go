package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/trace"
)

// atOnce bounds how many sessions are opened or closed at once: a server copes better with a thousand connections one
// after another.
const atOnce = 32

// obeyWithin is how long a target may take to cancel an operation whose context has ended.
const obeyWithin = time.Second

// ErrOrder is returned when a phase is started out of its order.
var ErrOrder = errors.New("phase out of order")

// Runner executes a shard. Its methods may be called from several goroutines.
type Runner struct {
	cfg      Config
	newTimer func() (timer, error)
	targets  []Target // by worker

	mu       sync.Mutex
	segments []*segment
	current  int          // index of the segment that runs or runs next
	sessions []Session    // by worker; nil between Close and Prepare
	replay   *trace.Share // the shard's part of a trace; nil without one
	stopped  *stopOrder   // set by the first Stop or Leave
	closed   bool
	retried  map[string]uint64 // by cause, when it was asked last
	work     sync.WaitGroup    // segments
}

// stopOrder is why work ends early.
type stopOrder struct {
	reason string
	left   bool // by the agent's own decision
}

// New returns a Runner. It connects to nothing yet.
func New(cfg Config) (*Runner, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cfg.ensureDefaults()
	r := &Runner{cfg: cfg, newTimer: cfg.newTimer}
	phases := cfg.Shard.Phases
	for len(phases) > 0 {
		n := 1
		for n < len(phases) && phases[n].Joined {
			n++
		}
		r.segments = append(r.segments, &segment{r: r, phases: phases[:n:n], load: phases[0].Name == plan.Load})
		phases = phases[n:]
	}
	return r, nil
}

// Prepare builds generators and opens a session for each worker. It is called once, before Start.
func (r *Runner) Prepare(ctx context.Context) error {
	var err error
	if r.targets, err = r.cfg.targets(); err != nil {
		return err
	}
	if own := len(r.targets); own != r.cfg.Shard.Workers {
		return fmt.Errorf("prepare shard %d: it has %d workers, but its settings demand %d", r.cfg.Shard.Index, r.cfg.Shard.Workers, own)
	}
	workers, err := plan.Workers(r.cfg.Settings, r.cfg.Shard.Count)
	if err != nil {
		return fmt.Errorf("prepare shard: %w", err)
	}
	r.share(workers)
	for _, s := range r.segments {
		if err := s.prepare(); err != nil {
			return fmt.Errorf("prepare phase %s: %w", s.phases[0].Name, err)
		}
	}
	sessions, err := r.open(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions = sessions
	return nil
}

// open opens a session for each worker; on failure it closes all.
func (r *Runner) open(ctx context.Context) ([]Session, error) {
	sessions := make([]Session, r.cfg.Shard.Workers)
	group, opening := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range sessions {
		group.Go(func() (err error) {
			if err := opening.Err(); err != nil {
				return err
			}
			if sessions[i], err = r.targets[i].Open(opening, i); err != nil {
				return fmt.Errorf("open session of worker %d: %w", i, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, errors.Join(err, endAll(sessions, closing(context.WithoutCancel(ctx))))
	}
	return sessions, nil
}

// closing returns a function that ends a session without measuring it.
func closing(ctx context.Context) func(int, Session) error {
	return func(_ int, s Session) error { return s.Close(ctx) }
}

// endAll ends the sessions of workers, several at once; buffered writes are sent.
func endAll(sessions []Session, end func(worker int, s Session) error) error {
	var group errgroup.Group
	group.SetLimit(atOnce)
	problems := make([]error, len(sessions))
	for i, s := range sessions {
		if s == nil {
			continue
		}
		group.Go(func() error {
			if err := end(i, s); err != nil {
				problems[i] = fmt.Errorf("close session of worker %d: %w", i, err)
			}
			return nil
		})
	}
	_ = group.Wait() // its functions return no error
	return errors.Join(problems...)
}

// Start starts, at an instant of the run's time, the segment whose first phase is named, or the named phase that joins
// the current one. A phase that is known already, or has ended, is not started again. An instant in the past means now.
func (r *Runner) Start(phase plan.PhaseName, at int64, base *clock.Timebase) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, s := range r.segments {
		for n, p := range s.phases {
			switch {
			case p.Name != phase:
				continue
			case i < r.current:
				return nil
			case i > r.current:
				return fmt.Errorf("start phase %s before phase %s has ended: %w", phase, r.segments[r.current].phases[0].Name, ErrOrder)
			case n > 0:
				return s.join(n, at)
			case s.running():
				return nil
			case r.sessions == nil || r.closed:
				return fmt.Errorf("start phase %s without sessions: %w", phase, ErrOrder)
			}
			s.start(at, base, r.sessions, r.stopped)
			return nil
		}
	}
	return fmt.Errorf("start phase %s, which run %s does not have: %w", phase, r.cfg.Shard.Run, ErrOrder)
}

// Stop ends the work on the coordinator's order: operations in flight are finished and recorded, the last window is cut,
// and no further phase starts.
func (r *Runner) Stop(reason string) { r.stop(stopOrder{reason: reason}) }

// Leave ends the work as Stop does, but by the agent's own decision.
func (r *Runner) Leave(reason string) { r.stop(stopOrder{reason: reason, left: true}) }

func (r *Runner) stop(order stopOrder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped != nil {
		return
	}
	r.stopped = &order
	if s := r.running(); s != nil {
		s.stop(order)
	}
}

// Abort cancels the operations in flight. Call Stop before.
func (r *Runner) Abort() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.running(); s != nil {
		s.abort(errAborted)
	}
}

// SetWatermark sets the key number below which all shards have inserted their rows, so that requests may use those rows.
// With dealt inserts it has no effect. Call it after Prepare.
func (r *Runner) SetWatermark(key int64) {
	for _, s := range r.segments {
		s.inserter().shard.SetWatermark(key)
	}
}

// Running reports whether workers work or wait for their start.
func (r *Runner) Running() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running() != nil
}

// Next returns the next phase to start; ok is false while one is running, and when there is none.
func (r *Runner) Next() (phase plan.PhaseName, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running() != nil || r.current == len(r.segments) {
		return "", false
	}
	return r.segments[r.current].phases[0].Name, true
}

// running returns the current segment, or nil. The caller holds mu.
func (r *Runner) running() *segment {
	if r.current < len(r.segments) && r.segments[r.current].running() {
		return r.segments[r.current]
	}
	return nil
}

// Close stops running work, joins it and closes the sessions. The phase's end has been reported when it returns. When ctx
// ends first, operations in flight are cancelled; a target that ignores that is an error.
func (r *Runner) Close(ctx context.Context) error {
	r.Stop("closed")
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	done := make(chan struct{})
	go func() {
		r.work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		r.Abort()
		select {
		case <-done:
		case <-time.After(obeyWithin):
			return fmt.Errorf("close runner: the target did not cancel an operation within %s", obeyWithin)
		}
	}
	if r.replay != nil {
		r.replay.Close()
	}
	return endAll(r.takeSessions(), closing(ctx))
}

func (r *Runner) takeSessions() []Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	sessions := r.sessions
	r.sessions = nil
	return sessions
}

// turnOver opens sessions for the next segment, so that it can start at once.
func (r *Runner) turnOver(ctx context.Context) error {
	r.mu.Lock()
	over := r.current+1 == len(r.segments) || r.stopped != nil || r.closed
	r.mu.Unlock()
	if over {
		return nil
	}
	sessions, err := r.open(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions = sessions
	return nil
}

// advance makes the segment after s the current one.
func (r *Runner) advance() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current++
}
