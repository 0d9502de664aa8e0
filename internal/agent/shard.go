package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/wire"
)

// shardKey identifies an attempt of a shard.
type shardKey struct {
	run            string
	shard, attempt uint32
}

func keyOf(id *benchdv1.ShardId) shardKey {
	return shardKey{id.GetRun(), id.GetShard(), id.GetAttempt()}
}

func (k shardKey) id() *benchdv1.ShardId {
	return &benchdv1.ShardId{Run: k.run, Shard: k.shard, Attempt: k.attempt}
}

// shard is a held shard, from the order to prepare it to its release. Its fields below ready are protected by the agent's
// lock.
type shard struct {
	a      *Agent
	key    shardKey
	number int // counts the shards of the agent
	log    *slog.Logger

	preparing  context.Context //nolint:containedctx // ends when the shard is stopped
	giveUp     context.CancelFunc
	ready      chan struct{} // closed when preparing has ended; runner and target are set if it succeeded
	runner     *load.Runner
	target     load.Target
	trace      *traceFile             // nil without one
	targets    map[string]load.Target // those of groups of workers
	settings   plan.Settings          // of the run
	properties map[string]string      // the source of settings
	points     *points                // nil without raw points
	counts     map[string]uint64      // events of the target's client at the end of the last phase
	meter      *meter                 // nil where the agent's metrics are not exported

	answer  *benchdv1.Prepared // set when preparing has ended
	base    *clock.Timebase    // from the first start on
	phase   plan.PhaseName     // started last
	running bool
	started []*benchdv1.Started
	ended   []*benchdv1.PhaseEnded
	kept    keptWindows

	watching *watching // nil when nothing is watched

	recovered bool   // only windows of an earlier process are left
	measured  string // the boot id of that process
	released  bool   // the coordinator has released it
}

// newShard creates a shard and starts to prepare it. The caller holds the agent's lock.
func (a *Agent) newShard(m *benchdv1.Prepare) *shard {
	s := &shard{
		a: a, key: keyOf(m.GetId()), number: len(a.shards), ready: make(chan struct{}),
		log:  a.log.With("run", m.GetId().GetRun(), "shard", m.GetId().GetShard()),
		kept: keptWindows{store: &a.windows},
	}
	for _, other := range a.shards {
		s.number = max(s.number, other.number+1)
	}
	if a.meters != nil {
		s.meter = a.meters.Begin(s.key.run, newMeter(a.meterNames, s.key.run))
	}
	s.preparing, s.giveUp = context.WithCancel(a.life)
	a.work.Go(func() {
		facts, err := s.prepare(m)
		if err != nil {
			s.log.Warn("cannot prepare", "error", err)
		} else {
			s.log.Info("prepared", "workers", m.GetWorkers())
		}
		s.prepared(facts, err)
	})
	return s
}

// prepare connects to the target and builds what the workers need.
func (s *shard) prepare(m *benchdv1.Prepare) (facts map[string]string, err error) {
	defer close(s.ready)
	part, err := wire.ToPlan(m, s.a.config.Name)
	if err != nil {
		return nil, err
	}
	settings, err := s.a.config.Reader.Resolve(part.Properties)
	if err != nil {
		return nil, err
	}
	driver := s.a.config.Drivers[settings.DB]
	if driver == nil {
		return nil, fmt.Errorf("unknown target %q in this build of benchd (%s)", settings.DB, s.a.config.Version)
	}
	s.settings, s.properties = settings, part.Properties
	if err := observe.CheckLogin(settings.Telemetry, s.a.config.Secrets); err != nil {
		return nil, err
	}
	if err := observe.Check(s.preparing, settings.Telemetry.Endpoints, s.a.config.Outbound); err != nil {
		return nil, err
	}
	if settings.Trace != nil {
		if s.trace, err = s.a.fetchTrace(s.preparing, *settings.Trace); err != nil {
			return nil, err
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, s.trace.close())
			}
		}()
	}
	if s.target, err = s.open(driver, part, part.Properties, settings); err != nil {
		return nil, err
	}
	runner, facts, err := s.make(driver, part, settings, m.GetSteward())
	if err != nil {
		return nil, errors.Join(err, s.closeTargets())
	}
	s.runner = runner
	return facts, nil
}

// open connects to the target with the properties of the run, or of a group of workers.
func (s *shard) open(driver load.Driver, part plan.Shard, properties map[string]string, settings plan.Settings) (load.Target, error) {
	return driver(s.preparing, load.Settings{
		Properties: properties, Workload: settings.Workload, Run: part.Run, Agent: part.Agent, Shard: part.Index,
		Seed: settings.Workload.Seed, Logger: s.log, WriteBelow: s.a.config.WriteBelow, KnownIO: s.a.config.KnownIO,
		Dial: s.a.config.Outbound, Secrets: s.a.config.Secrets, Credential: s.a.config.Credential,
	})
}

// openGroups connects each group of workers to the target by connections of its own, as applications have them.
func (s *shard) openGroups(driver load.Driver, part plan.Shard, settings plan.Settings) error {
	for _, g := range settings.Groups {
		target, err := s.open(driver, part, g.Properties, g.Settings)
		if err != nil {
			return fmt.Errorf("group %s: %w", g.Name, err)
		}
		if s.targets == nil {
			s.targets = make(map[string]load.Target)
		}
		s.targets[g.Name] = target
	}
	return nil
}

// closeTargets closes the connections to the target.
func (s *shard) closeTargets() error {
	err := s.target.Close()
	for _, t := range s.targets {
		err = errors.Join(err, t.Close())
	}
	return err
}

// setUp sets the target up: the table of the run, and those that only groups of workers use.
func (s *shard) setUp(part plan.Shard, settings plan.Settings) error {
	const table = "table"
	done := make(map[string]bool)
	set := func(name string, t load.Target) error {
		admin, is := t.(load.Admin)
		if !is || done[name] {
			return nil
		}
		done[name] = true
		if err := admin.Prepare(s.preparing); err != nil {
			return fmt.Errorf("set up the target: %w", err)
		}
		return nil
	}
	if err := set(part.Properties[table], s.target); err != nil {
		return err
	}
	for _, g := range settings.Groups {
		if err := set(g.Properties[table], s.targets[g.Name]); err != nil {
			return fmt.Errorf("group %s: %w", g.Name, err)
		}
	}
	return nil
}

// make creates the runner, and sets the target up if the shard is the steward's.
func (s *shard) make(driver load.Driver, part plan.Shard, settings plan.Settings, steward bool) (*load.Runner, map[string]string, error) {
	var tap func(plan.PhaseName, []latency.Key, func(int64) int64) latency.Tap
	if strings.Contains(part.Properties["measurementtype"], "raw") {
		var err error
		if s.points, err = s.newPoints(); err != nil {
			return nil, nil, err
		}
		tap = s.points.begin
	}
	if err := s.openGroups(driver, part, settings); err != nil {
		return nil, nil, err
	}
	runner, err := load.New(load.Config{
		Target: s.target, Targets: s.targets, Shard: part, Settings: settings, Trace: s.trace.of(), Clock: s.a.clock, Gate: s.a.config.Gate, KnownIO: s.a.config.KnownIO, Logger: s.log,
		Emit: s.emit, Started: s.phaseStarted, Ended: s.over, Health: s.a.health.sample, Tap: tap,
	})
	if err != nil {
		return nil, nil, err
	}
	if steward {
		if err := s.setUp(part, settings); err != nil {
			return nil, nil, err
		}
	}
	if err := runner.Prepare(s.preparing); err != nil {
		return nil, nil, err
	}
	var facts map[string]string
	if observer, is := s.target.(load.Observer); is && steward {
		if facts, err = observer.Facts(s.preparing); err != nil {
			s.log.Warn("cannot read the target's facts", "error", err) // the run does not need them
		}
	}
	return runner, facts, nil
}

// prepared reports the outcome of preparing.
func (s *shard) prepared(facts map[string]string, err error) {
	answer := &benchdv1.Prepared{Id: s.key.id(), TargetFacts: make(map[string]string, len(facts))}
	for k, v := range facts {
		answer.TargetFacts[wire.Text(k)] = wire.Text(v) // a target's facts may contain any bytes
	}
	if err != nil {
		answer.Error = wire.Text(err.Error())
	}
	s.a.mu.Lock()
	defer s.a.mu.Unlock()
	s.answer = answer
	s.post(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Prepared{Prepared: answer}})
}

// post sends a message if there is a stream. Important messages are also kept, and sent with the next Hello. The caller
// holds the agent's lock.
func (s *shard) post(m *benchdv1.SessionRequest) {
	if s.a.out != nil && !s.released {
		s.a.out.add(m, nil)
	}
}

// prepareDone reports whether preparing has succeeded. The caller need hold no lock.
func (s *shard) prepareDone() bool {
	select {
	case <-s.ready:
		return s.runner != nil
	default:
		return false
	}
}

// start starts a phase. The caller holds the agent's lock.
func (s *shard) start(m *benchdv1.Start) error {
	if !s.prepareDone() {
		return load.ErrOrder
	}
	if s.base == nil {
		s.base = clock.NewTimebase(wire.ToLine(m.GetTimebase()))
	}
	return s.runner.Start(plan.PhaseName(m.GetPhase()), m.GetAtRunNs(), s.base)
}

// stop ends the shard's work on the coordinator's order. The caller holds the agent's lock.
func (s *shard) stop(reason string) {
	s.giveUp()
	if !s.prepareDone() {
		return
	}
	s.runner.Stop(reason)
	// An order to start that was lost with its stream is not repeated after a stop, but the coordinator waits for the
	// phase's end.
	if phase, waiting := s.runner.Next(); waiting {
		s.conclude(&benchdv1.PhaseEnded{Id: s.key.id(), Phase: string(phase), Final: true})
	}
}

// leave ends the shard's work by the agent's own decision.
func (s *shard) leave(reason string) {
	s.giveUp()
	if s.prepareDone() {
		s.runner.Leave(reason)
	}
}

// end ends the shard's work and closes its target. Its windows stay.
func (s *shard) end(reason string) {
	s.leave(reason)
	late := time.After(closeWithin)
	select {
	case <-s.ready:
	case <-late:
		s.log.Warn("the target does not stop connecting")
		return
	}
	if s.runner == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- errors.Join(s.runner.Close(ctx), s.closeTargets(), s.trace.close()) }()
	select {
	case err := <-closed:
		if err != nil {
			s.log.Warn("cannot close", "error", err)
		}
	case <-late:
		s.log.Warn("the target does not close")
	}
}

// atWork reports whether the shard's workers work or wait for their start.
func (s *shard) atWork() bool {
	s.a.mu.Lock()
	defer s.a.mu.Unlock()
	return s.running
}

// emit receives a new window. No window is cut meanwhile, so emit does not wait for the disk.
func (s *shard) emit(w *latency.Window) {
	if s.points != nil {
		s.points.cut(w)
		return
	}
	s.keep(w)
}

// keep keeps a window and sends it.
func (s *shard) keep(w *latency.Window) {
	m := wire.FromWindow(w)
	if s.meter != nil {
		if err := s.meter.add(s.key, w, s.clientCounts()); err != nil {
			s.log.Warn("cannot add a window to the agent's metrics", "error", err)
		}
	}
	s.a.mu.Lock()
	defer s.a.mu.Unlock()
	if s.released {
		return
	}
	s.phase = plan.PhaseName(w.ID.Phase)
	kept, dropped := s.kept.add(m, s.a.config.SpoolBytes, s.a.config.MemoryBytes)
	if dropped > 0 {
		s.a.dropped += dropped
		s.log.Error("windows are dropped: too many wait for the coordinator", "dropped", dropped, "kept", s.kept.len())
	}
	if s.a.out != nil {
		s.a.out.add(nil, kept)
	}
}

// phaseStarted reports the first operation of a phase.
func (s *shard) phaseStarted(phase plan.PhaseName, at int64) {
	s.log.Info("phase has started", "phase", phase)
	m := &benchdv1.Started{Id: s.key.id(), Phase: string(phase), FirstSentAgentNs: at}
	s.a.mu.Lock()
	defer s.a.mu.Unlock()
	s.started = append(s.started, m)
	s.post(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Started{Started: m}})
}

// over reports the end of a phase.
func (s *shard) over(e load.PhaseEnd) {
	m := &benchdv1.PhaseEnded{
		Id: s.key.id(), Phase: string(e.Phase), EndedNs: int64(e.At), Issued: e.Issued, Recorded: e.Recorded,
		Windows: uint32(e.Windows), Final: e.Final, Left: e.Left, Client: s.clientEvents(), InsertedBelow: e.InsertedBelow,
	}
	if e.Final {
		m.InsertedRows = &e.InsertedRows
	}
	if e.Final && s.points != nil {
		s.points.end()
	}
	if e.Err != nil {
		m.Error = wire.Text(e.Err.Error())
	}
	s.a.mu.Lock()
	defer s.a.mu.Unlock()
	s.conclude(m)
}

// clientCounts counts the events of the target's client so far, those of all groups of workers together; nil if it counts none.
func (s *shard) clientCounts() map[string]uint64 {
	var sum map[string]uint64
	add := func(t load.Target) {
		counter, is := t.(load.Counter)
		if !is {
			return
		}
		if sum == nil {
			sum = make(map[string]uint64)
		}
		for name, n := range counter.Counts() {
			sum[name] += n
		}
	}
	add(s.target)
	for _, t := range s.targets {
		add(t)
	}
	return sum
}

// clientEvents counts the events of the target's client since the last call. The runner calls it at the ends of phases.
func (s *shard) clientEvents() map[string]uint64 {
	counts := s.clientCounts()
	if counts == nil {
		return nil
	}
	since := make(map[string]uint64, len(counts))
	for name, n := range counts {
		if n > s.counts[name] {
			since[wire.Text(name)] = n - s.counts[name]
		}
	}
	s.counts = counts
	return since
}

// conclude records and sends the end of a phase. The caller holds the agent's lock.
func (s *shard) conclude(m *benchdv1.PhaseEnded) {
	s.log.Info("phase has ended", "phase", m.GetPhase(), "ops", m.GetRecorded(), "windows", m.GetWindows(), "left", m.GetLeft(), "error", m.GetError())
	s.sendObservations() // before the run can be over
	s.ended = append(s.ended, m)
	if m.GetFinal() {
		s.running = false
	}
	s.post(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: m}})
}

// held describes the shard's progress for a Hello. The caller holds the agent's lock.
func (s *shard) held(now int64) *benchdv1.HeldShard {
	h := &benchdv1.HeldShard{
		Id: s.key.id(), Phase: string(s.phase), Running: s.running,
		Prepared: s.answer != nil && s.answer.GetError() == "",
		Started:  s.started, Ended: s.ended, Recovered: s.recovered, BootId: s.measured,
	}
	if s.base != nil {
		h.Timebase = wire.FromLine(s.key.run, s.base.Line(now))
	}
	return h
}
