package coordinator

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/conductor"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
)

// Config says how a coordinator works. The zero values of AgentGrace, Clock, Logger and Registerer mean their
// defaults.
type Config struct {
	DataDir    string                       // where the archive is, and files that are being sent
	Archive    Archive                      // default that of SQLite in DataDir
	Version    string                       // of this build, for provenance
	Reader     *spec.Reader                 // of submissions, which knows the targets that agents of this build can drive; must be given
	Supplied   map[string]map[string]string // properties, by target, of submissions that do not set them
	AgentGrace time.Duration                // default conductor.DefaultGrace
	Keep       results.Keep                 // default all, for ever
	Clock      *clock.Source                // default the machine's
	Logger     *slog.Logger                 // default none
	Registerer prometheus.Registerer
	ShowEnded  time.Duration // how long the metrics of an ended run are shown; default promexport.DefaultKeep
}

// Archive is what a coordinator needs of its archive, together with its results and conductors. It closes the archive.
type Archive interface {
	results.Archive
	conductor.Archive

	CreateSuite(ctx context.Context, suite archive.Suite, runs []archive.RunRecord) error
	AddRuns(ctx context.Context, suite string, status result.Status, runs []archive.RunRecord) error
	Apply(ctx context.Context, change archive.Change) error
	Suites(ctx context.Context) ([]archive.SuiteSummary, error)
	Unfinished(ctx context.Context) ([]archive.RunRecord, error)
	AddWindows(ctx context.Context, windows []latency.Window) ([]archive.Receipt, error)
	Counts(ctx context.Context, run string) ([]archive.Count, error)
	Close(ctx context.Context) error
}

// Coordinator is the service. New opens its archive, Register puts it on a server, Run works until told to
// stop, Close lets go of the archive.
type Coordinator struct {
	benchdv1.UnimplementedAgentServiceServer
	benchdv1.UnimplementedRunServiceServer

	config  Config
	log     *slog.Logger
	clock   *clock.Source
	archive Archive
	results *results.Store
	roster  *roster.Roster
	ingest  *ingest
	metrics *metrics
	boot    string

	life  context.Context // ends when the coordinator detaches
	end   context.CancelFunc
	tasks sync.WaitGroup // conductors, ingest and what they start

	quarantine *quarantine.List
	transfers  atomic.Int32 // that go on

	turn sync.Mutex // of changes to what the archive has of suites; see changeSuite

	mu         sync.Mutex
	queue      []*record.Run // in the order of submission
	conductors map[string]*conductor.Conductor
	suites     map[string]*lifecycle.Suite // of which something is going on
	changed    chan struct{}               // closed and replaced when a queue or roster changes
}

// New opens the archive and takes up what was not ended.
func New(ctx context.Context, config Config) (*Coordinator, error) {
	if config.AgentGrace == 0 {
		config.AgentGrace = conductor.DefaultGrace
	}
	if config.Clock == nil {
		config.Clock = clock.NewSource(clock.Skew{})
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Registerer == nil {
		config.Registerer = prometheus.NewRegistry()
	}
	if config.Archive == nil {
		opened, err := sqlite.Open(ctx, config.DataDir, config.Logger)
		if err != nil {
			return nil, err
		}
		config.Archive = opened
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	c := &Coordinator{
		config: config, log: config.Logger, clock: config.Clock, archive: config.Archive, roster: roster.New(),
		boot: rand.Text(), life: life, end: end,
		conductors: make(map[string]*conductor.Conductor), suites: make(map[string]*lifecycle.Suite), changed: make(chan struct{}),
	}
	c.quarantine = quarantine.NewList(c.log)
	c.results = results.New(results.Config{
		Archive: config.Archive, Reader: config.Reader, Version: config.Version, Keep: config.Keep, Clock: c.clock, Quarantine: c.quarantine, Logger: c.log,
	})
	c.metrics = newMetrics(config.Registerer, c, config.ShowEnded)
	c.ingest = &ingest{
		in: make(chan arrival, ingestBuffer), life: life, archive: config.Archive, log: c.log,
		merge: c.merge, seen: c.metrics.windows,
		aside: func(run string, err error) { c.quarantine.Add(record.SuiteOf(run), "archive windows of run "+run, err) },
	}
	c.tasks.Go(c.ingest.loop)
	if err := c.recover(ctx); err != nil {
		return nil, errors.Join(err, c.Close(ctx))
	}
	c.task(func() { c.results.Maintain(c.life) })
	return c, nil
}

// ServerOptions are what the gRPC server of a coordinator needs.
func ServerOptions() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(wire.MaxMessage),
		grpc.ChainUnaryInterceptor(recoverCall, wire.CheckRequest), grpc.ChainStreamInterceptor(recoverStream, wire.CheckRequests),
		grpc.StaticStreamWindowSize(wire.FlowWindow), grpc.StaticConnWindowSize(wire.FlowWindow),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 5 * time.Second, Timeout: 5 * time.Second}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 2 * time.Second, PermitWithoutStream: true}),
	}
}

// Register puts the services on a server.
func (c *Coordinator) Register(s *grpc.Server) {
	benchdv1.RegisterAgentServiceServer(s, c)
	benchdv1.RegisterRunServiceServer(s, c)
}

// Detach ends all sessions and leaves running runs as they are: agents go on without a coordinator, and the
// next one to open this archive takes the runs up again. It returns when nothing works any more.
func (c *Coordinator) Detach() {
	c.mu.Lock()
	c.end()
	c.mu.Unlock()
	c.tasks.Wait()
}

// task runs do beside what calls it, unless the coordinator is detaching.
func (c *Coordinator) task(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.Err() == nil {
		c.tasks.Go(do)
	}
}

// Close detaches and closes the archive.
func (c *Coordinator) Close(ctx context.Context) error {
	c.Detach()
	if err := c.archive.Close(ctx); err != nil {
		return fmt.Errorf("close archive: %w", err)
	}
	return nil
}

// conductor finds the conductor of a run that has one.
func (c *Coordinator) conductor(run string) *conductor.Conductor {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conductors[run]
}

// merge hands windows that have just been archived to their run's conductor.
func (c *Coordinator) merge(run string, fresh []*latency.Window) {
	if cd := c.conductor(run); cd != nil {
		cd.Merge(fresh)
		return
	}
	c.log.Warn("windows came while their run was sealed; they are in the archive", "run", run, "windows", len(fresh))
}

// wake tells those who wait for agents or for a run that something has changed. c.mu must be held.
func (c *Coordinator) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// change is closed at the next change.
func (c *Coordinator) change() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}
