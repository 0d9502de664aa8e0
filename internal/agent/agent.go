package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/promexport"
	"github.com/benchd/benchd/internal/wire"
	"github.com/benchd/benchd/internal/wire/route"
)

// Bounds of the parts of a shutdown; together they stay below five seconds.
const (
	stopWithin     = 1500 * time.Millisecond                           // for operations in flight
	closeWithin    = stopWithin + 1200*time.Millisecond                // for a target to close all sessions
	ackWithin      = 4 * time.Second                                   // until all windows are acknowledged, from the start of the shutdown
	farewellWithin = 500 * time.Millisecond                            // for the coordinator to end the stream
	joinWithin     = ackWithin + farewellWithin + 200*time.Millisecond // until goroutines are abandoned, from the start of the shutdown
	diskWithin     = 200 * time.Millisecond                            // for the spool to write the last windows, after that
)

// Agent serves a coordinator. New returns one, Run serves until its context ends.
type Agent struct {
	config Config
	log    *slog.Logger
	clock  *clock.Source
	// settled is the date for deletions by age.
	settled *clock.Settled
	boot    string
	host    *benchdv1.HostFacts
	health  *sampler

	meters     *promexport.Runs[*meter] // nil where the agent's metrics are not exported
	meterNames *meterNames
	windows    windowStore

	life context.Context //nolint:containedctx // of all goroutines; it outlives Run's for the sign-off
	work sync.WaitGroup  // goroutines of shards

	mu        sync.Mutex
	shards    map[shardKey]*shard
	actions   map[string]*action
	acted     []string                    // ids of actions, the oldest first
	lateHooks int                         // hooks that continue after their timeout
	out       *outbox                     // of the open stream; nil without one
	client    benchdv1.AgentServiceClient // of the last stream
	orphaning *time.Timer                 // runs while there is no coordinator
	changed   chan struct{}
	leaving   bool
	dropped   uint64 // windows that were dropped for lack of room
}

// New returns an Agent. It reads the host's facts and connects to nothing yet.
func New(config Config) (*Agent, error) {
	if err := errors.Join(config.validate(), config.ensureDefaults()); err != nil {
		return nil, err
	}
	boot := rand.Text()
	a := &Agent{
		config: config, log: config.Logger, clock: config.Clock, settled: clock.NewSettled(config.Clock), boot: boot, health: newSampler(),
		shards: make(map[shardKey]*shard), actions: make(map[string]*action), changed: make(chan struct{}),
		windows: windowStore{log: config.Logger, boot: boot},
	}
	// A coordinator validates names, too; this error comes earlier.
	if err := wire.CheckHello(a.hello(nil)); err != nil {
		return nil, fmt.Errorf("make agent: %w", err)
	}
	if config.Registerer != nil {
		a.register(config.Registerer)
	}
	return a, nil
}

// Run serves the coordinator until ctx ends, and then signs off within five seconds and returns nil. Its error is of the
// kinds wire.ErrNameTaken, wire.ErrProtocol or wire.ErrBadSpec when the coordinator refuses the agent as it is. Without the right
// to serve it tries again: its certificate may be replaced. Run is called once.
func (a *Agent) Run(ctx context.Context) error {
	if err := a.openRoom(); err != nil {
		return err
	}
	ending := clock.Mono()
	defer func() { a.closeWindows(joinWithin - ending.Elapsed()) }()
	a.host = hostFacts(ctx, a.config.rawIO(), a.log)
	way := route.New(append([]string{a.config.Coordinator}, a.config.Others...))
	conn, err := a.dial(way.Address())
	if err != nil {
		return err
	}
	var cancel context.CancelFunc
	a.life, cancel = context.WithCancel(context.WithoutCancel(ctx))
	linked := make(chan struct{})
	a.lost()
	go func() {
		defer close(linked)
		err = a.link(a.life, way, conn)
	}()
	select {
	case <-linked:
	case <-ctx.Done():
	}
	ending = clock.Mono()
	a.leave(reasonOf(ctx), ending)
	cancel()
	<-linked
	a.found() // stops the orphan timer
	a.join(joinWithin - ending.Elapsed())
	return err
}

// closeWindows waits until the windows in memory are on disk, and closes the spool. Windows that are left in it are for
// the next process.
func (a *Agent) closeWindows(within time.Duration) {
	idle := a.windows.spooler.end(max(within, diskWithin))
	a.mu.Lock()
	onDisk, lost := 0, 0
	for _, s := range a.shards {
		for _, k := range s.kept.windows {
			if k.place.Valid() {
				onDisk++
			} else {
				lost++
			}
		}
	}
	a.mu.Unlock()
	if onDisk > 0 {
		a.log.Warn("the coordinator has not acknowledged all windows: they are in the spool, for the next agent of this name", "windows", onDisk)
	}
	if lost > 0 {
		a.log.Warn("windows are lost: the coordinator has not acknowledged them, and they are not on disk", "windows", lost)
	}
	switch {
	case a.windows.disk == nil:
	case !idle:
		a.log.Warn("the disk of the spool does not respond")
	default:
		if err := a.windows.disk.Close(); err != nil {
			a.log.Warn("the spool cannot be closed", "error", err)
		}
	}
}

// join waits for the goroutines of shards for a bounded time: a target may ignore its context.
func (a *Agent) join(within time.Duration) {
	done := make(chan struct{})
	go func() {
		a.work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(max(within, 0)):
		a.log.Warn("a target does not end: its goroutines are abandoned")
	}
}

// reasonOf returns why the agent was asked to end.
func reasonOf(ctx context.Context) string {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause.Error()
	}
	return "terminated"
}

// leave ends the agent's work: workers stop, their last windows are sent and acknowledged, the agent signs off.
func (a *Agent) leave(reason string, began clock.Instant) {
	a.mu.Lock()
	a.leaving = true
	shards := a.all()
	a.mu.Unlock()
	var closing sync.WaitGroup
	for _, s := range shards {
		closing.Go(func() { s.end(reason) })
	}
	closing.Wait()

	a.await(ackWithin-began.Elapsed(), func() bool { return a.out == nil || a.held() == 0 })
	a.mu.Lock()
	out := a.out
	a.mu.Unlock()
	if out != nil {
		out.add(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Leaving{Leaving: &benchdv1.Leaving{Reason: reason}}}, nil)
		out.finish()
		a.await(farewellWithin, func() bool { return a.out != out })
	}
}

// await waits until cond holds, or until the time is over. cond is checked under the lock whenever something has changed.
func (a *Agent) await(within time.Duration, cond func() bool) {
	timer := time.NewTimer(max(within, 0))
	defer timer.Stop()
	for {
		a.mu.Lock()
		ok, changed := cond(), a.changed
		a.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			return
		}
	}
}

// wake makes waiters check their conditions. The caller holds mu.
func (a *Agent) wake() {
	close(a.changed)
	a.changed = make(chan struct{})
}

// all returns the shards in the order in which they were handed out. The caller holds mu.
func (a *Agent) all() []*shard {
	shards := make([]*shard, 0, len(a.shards))
	for _, s := range a.shards {
		shards = append(shards, s)
	}
	slices.SortFunc(shards, func(x, y *shard) int { return x.number - y.number })
	return shards
}

// held counts the unacknowledged windows. The caller holds mu.
func (a *Agent) held() int {
	n := 0
	for _, s := range a.shards {
		n += s.kept.len()
	}
	return n
}

// lost notes that there is no coordinator, and starts the orphan timeout.
func (a *Agent) lost() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.out = nil
	a.wake()
	if a.orphaning == nil {
		a.orphaning = time.AfterFunc(a.config.OrphanTimeout, a.orphaned)
	}
}

// found notes that there is a coordinator.
func (a *Agent) found() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.orphaning != nil {
		a.orphaning.Stop()
		a.orphaning = nil
	}
}

// orphaned ends the work, because it could not be cancelled. Its windows are kept for a coordinator that returns.
func (a *Agent) orphaned() {
	a.mu.Lock()
	shards := a.all()
	a.mu.Unlock()
	for _, s := range shards {
		if s.atWork() {
			a.log.Warn("load stops: no coordinator is connected that could cancel it", "run", s.key.run, "after", a.config.OrphanTimeout)
			s.leave(fmt.Sprintf("no coordinator for %s", a.config.OrphanTimeout))
		}
	}
}
