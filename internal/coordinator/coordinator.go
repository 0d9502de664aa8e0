package coordinator

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/mem"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/audit"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/conductor"
	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/coordinator/timetable"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/pki"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/webhook"
	"github.com/benchd/benchd/internal/wire"
)

// Config configures a coordinator. AgentGrace, Clock, Logger and Registerer have defaults.
type Config struct {
	DataDir    string                       // the archive, and temporary files of transfers
	Archive    Archive                      // default: SQLite in DataDir
	Version    string                       // of this build, for provenance
	Reader     *spec.Reader                 // parses submissions; has the targets of this build's agents; required
	Supplied   map[string]map[string]string // default properties of submissions, by target
	AgentGrace time.Duration                // default: conductor.DefaultGrace
	Keep       results.Keep                 // default: all results, forever
	Clock      *clock.Source                // default: the machine's
	Logger     *slog.Logger                 // default: none
	Registerer prometheus.Registerer
	// Certificates are those of the listeners, and the list of revoked ones. Default: none.
	Certificates Certificates
	// Audit is the file of the log of changes and refusals. Default: none.
	Audit string
	// Open means that the listener of gRPC asks no peer for an identity. Then HTTP in plain text does not either.
	Open bool
	// Listeners describe how the listeners are secured, for About and results.
	Listeners []string
	// Enroller issues certificates of agents; the ledger of join tokens is in an Archive that is an archive.Keeper, else in DataDir. Default: none
	// are issued.
	Enroller *pki.Enroller
	// Console is the web console. Default: none.
	Console *Console
	// Webhooks are the receivers that are notified of what happens to suites; what is not delivered yet is in an Archive that is an
	// archive.Keeper, else in DataDir. Default: none.
	Webhooks *webhook.File
	// Announce gets what happens to suites if there are no Webhooks. Default: nobody does.
	Announce  notice.Announce
	ShowEnded time.Duration // how long the metrics of an ended run are exported; default: promexport.DefaultKeep
}

// Archive is the archive of a coordinator, its results and its conductors. The coordinator closes it.
type Archive interface {
	results.Archive
	conductor.Archive

	CreateSuite(ctx context.Context, suite archive.Suite, runs []archive.RunRecord) error
	AddRuns(ctx context.Context, suite string, status result.Status, runs []archive.RunRecord) error
	Apply(ctx context.Context, change archive.Change) error
	Annotate(ctx context.Context, suite string, annotation archive.Annotation) error
	Suites(ctx context.Context) ([]archive.SuiteSummary, error)
	Select(ctx context.Context, query archive.SuiteQuery) ([]archive.SuiteSummary, error)
	Unfinished(ctx context.Context) ([]archive.RunRecord, error)
	AddWindows(ctx context.Context, windows []latency.Window) ([]archive.Receipt, error)
	Counts(ctx context.Context, run string) ([]archive.Count, error)
	Schedules(ctx context.Context) ([]archive.Schedule, error)
	PutSchedule(ctx context.Context, s archive.Schedule, alerts []schedule.Alert) error
	RemoveSchedule(ctx context.Context, name string) error
	Alerts(ctx context.Context, schedule string, most int) ([]schedule.Alert, error)
	Close(ctx context.Context) error
}

// Coordinator is the service. New opens its archive, Register adds it to a server, Detach stops it, and Close also closes
// the archive.
type Coordinator struct {
	benchdv1.UnimplementedAgentServiceServer
	benchdv1.UnimplementedRunServiceServer
	benchdv1.UnimplementedEnrollServiceServer

	config    Config
	log       *slog.Logger
	clock     *clock.Source
	archive   Archive
	kept      *keeper    // nil where records are files in the data directory
	traces    sync.Mutex // serializes traces to the archive and from there
	results   *results.Store
	roster    *roster.Roster
	ingest    *ingest
	metrics   *metrics
	timetable *timetable.Table
	boot      string

	life  context.Context // ends when the coordinator detaches
	end   context.CancelFunc
	tasks sync.WaitGroup // conductors, ingest and what they start

	quarantine *quarantine.List
	transfers  atomic.Int32 // in progress
	imports    atomic.Int32 // of exported suites, in progress
	certified  certified
	audit      *audit.Log      // nil for none
	webhooks   *webhook.Outbox // nil for none
	enrollment *enrollment

	lobby lobby

	submitting sync.Mutex // from the count of the active suites until the next one is archived
	quota      quota      // with submitting

	turn sync.Mutex // serializes changes of archived suites; see changeSuite

	mu         sync.Mutex
	queue      []*record.Run // in the order of submission
	conductors map[string]*conductor.Conductor
	suites     map[string]*lifecycle.Suite // the active ones
	changed    chan struct{}               // closed and replaced when a queue or roster changes
}

// sealedIn is the directory for what is computed once of long runs; none without a data directory.
func sealedIn(data string) string {
	if data == "" {
		return ""
	}
	return filepath.Join(data, "computed")
}

// busy reports whether a run is in progress.
func (c *Coordinator) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.conductors) > 0
}

// New opens the archive and recovers the unfinished runs.
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
	kept := keeperOf(ctx, config.Archive)
	enrollment, err := openEnrollment(config, kept)
	if err != nil {
		return nil, errors.Join(err, config.Archive.Close(ctx))
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	c := &Coordinator{
		config: config, log: config.Logger, clock: config.Clock, archive: config.Archive, roster: roster.New(),
		boot: rand.Text(), life: life, end: end, enrollment: enrollment, kept: kept,
		conductors: make(map[string]*conductor.Conductor), suites: make(map[string]*lifecycle.Suite), changed: make(chan struct{}),
	}
	c.quarantine = quarantine.NewList(c.log)
	records, _ := config.Archive.(archive.Keeper)
	c.results = results.New(results.Config{
		Archive: config.Archive, Reader: config.Reader, Version: config.Version, Keep: config.Keep, Clock: c.clock, Quarantine: c.quarantine, Logger: c.log,
		Sealed: sealedIn(config.DataDir), Records: records, Busy: c.busy,
	})
	c.metrics = newMetrics(config.Registerer, c, config.ShowEnded)
	c.ingest = &ingest{
		in: make(chan arrival, ingestBuffer), life: life, archive: config.Archive, log: c.log,
		merge: c.merge, seen: c.metrics.windows,
		aside: func(run string, err error) { c.quarantine.Add(record.SuiteOf(run), "archive windows of run "+run, err) },
	}
	if config.Audit != "" {
		log, err := audit.Open(config.Audit, audit.Options{Logger: c.log, Registerer: config.Registerer})
		if err != nil {
			return nil, errors.Join(err, c.Close(ctx))
		}
		c.audit = log
	}
	if config.Certificates != nil {
		config.Certificates.OnRevoked(c.revoke)
	}
	if config.Console != nil {
		config.Console.Sessions.Keep(c.placeOfSessions(), c.log)
	}
	if err := c.openWebhooks(ctx); err != nil {
		return nil, errors.Join(err, c.Close(ctx))
	}
	c.tasks.Go(c.ingest.loop)
	if err := c.recover(ctx); err != nil {
		return nil, errors.Join(err, c.Close(ctx))
	}
	if err := c.openTimetable(ctx); err != nil {
		return nil, errors.Join(err, c.Close(ctx))
	}
	c.removeCutTraces()
	c.task(func() { c.results.Maintain(c.life) })
	c.task(func() { c.timetable.Run(c.life) })
	return c, nil
}

// Bounds on connections. A client waits until it may open a further stream.
const (
	maxStreams      = 256      // of a connection
	maxMetadata     = 64 << 10 // bytes of a call
	handshakeWithin = 10 * time.Second
	idleWithin      = 5 * time.Minute // without a stream
	readBuffer      = 8 << 10         // bytes of each connection; a usual window takes two system calls
	writeBuffer     = 8 << 10         // bytes; connections share buffers, and thousands that acknowledge a window at once have one each
	// connWindow is the flow-control window of a connection. gRPC opens it again for each quarter that arrives, read or not, so it bounds no
	// memory, and a small one only costs messages: a stream's window bounds its unread bytes.
	connWindow = 1 << 20
)

// Limits returns the bounds of the connections of a coordinator's gRPC server.
func Limits(log *slog.Logger) security.Limits {
	return security.Limits{Connections: 8192, Strangers: 1024, OfPeer: 512, Admission: time.Minute, Logger: log}
}

// ServerOptions returns the options of a coordinator's gRPC server.
func ServerOptions() []grpc.ServerOption {
	return append(ConnectionOptions(),
		grpc.ChainUnaryInterceptor(recoverCall, guardCall, wire.CheckRequest), grpc.ChainStreamInterceptor(recoverStream, guardStream, wire.CheckRequests),
	)
}

// ConnectionOptions returns the bounds of connections among ServerOptions, for the gRPC server of a standby.
func ConnectionOptions() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(wire.MaxMessage),
		grpc.StaticStreamWindowSize(wire.FlowWindow), grpc.StaticConnWindowSize(connWindow), grpc.ReadBufferSize(readBuffer), grpc.WriteBufferSize(writeBuffer),
		experimental.BufferPool(mem.NewTieredBufferPool(bufferSizes()...)),
		grpc.MaxConcurrentStreams(maxStreams), grpc.MaxHeaderListSize(maxMetadata), grpc.ConnectionTimeout(handshakeWithin),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 5 * time.Second, Timeout: 5 * time.Second, MaxConnectionIdle: idleWithin}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 2 * time.Second, PermitWithoutStream: true}),
	}
}

// bufferSizes returns the sizes of the buffers in which messages wait until they are read. gRPC's own are powers of two, and thousands of windows
// of 10 KB would take 16 KB each.
func bufferSizes() []int {
	sizes := []int{256, 1 << 10}
	for size := 2 << 10; size <= 16<<10; size += 2 << 10 { // the largest frame of a message
		sizes = append(sizes, size)
	}
	return append(sizes, 32<<10, 64<<10, 256<<10, 1<<20)
}

// Register adds the services to a server.
func (c *Coordinator) Register(s *grpc.Server) {
	benchdv1.RegisterAgentServiceServer(s, c)
	benchdv1.RegisterRunServiceServer(s, c)
	benchdv1.RegisterEnrollServiceServer(s, c)
}

// Detach ends all sessions and leaves running runs as they are: agents go on without a coordinator, and the next
// coordinator that opens this archive recovers the runs. It returns when all goroutines have ended.
func (c *Coordinator) Detach() {
	c.mu.Lock()
	c.end()
	c.mu.Unlock()
	c.tasks.Wait()
}

// task runs do in a goroutine, unless the coordinator is detaching, and reports whether it does.
func (c *Coordinator) task(do func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.Err() != nil {
		return false
	}
	c.tasks.Go(do)
	return true
}

// Close detaches and closes the archive. If ctx ends first, the archive's log is left for the next start, without loss.
func (c *Coordinator) Close(ctx context.Context) error {
	c.Detach()
	var err error
	if c.webhooks != nil {
		err = c.webhooks.Close()
	}
	if c.audit != nil {
		if err := c.audit.Close(); err != nil {
			c.log.Warn("close the audit log", "error", err)
		}
	}
	err = errors.Join(err, c.enrollment.close())
	switch closing := c.archive.Close(ctx); {
	case closing == nil:
	case ctx.Err() != nil && errors.Is(closing, ctx.Err()):
		c.log.Info("the write-ahead log of the archive is left for the next start: the disk is too slow to write it back now")
	default:
		err = errors.Join(err, fmt.Errorf("close archive: %w", closing))
	}
	return err
}

// conductor returns the conductor of a run, or nil.
func (c *Coordinator) conductor(run string) *conductor.Conductor {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conductors[run]
}

// merge passes freshly archived windows to the conductor of their run.
func (c *Coordinator) merge(run string, fresh []*latency.Window) {
	if cd := c.conductor(run); cd != nil {
		cd.Merge(fresh)
		return
	}
	c.log.Warn("windows came while their run was sealed; they are in the archive", "run", run, "windows", len(fresh))
}

// wake notifies goroutines that wait for agents or for a run of a change. c.mu must be held.
func (c *Coordinator) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// change returns a channel that is closed at the next change.
func (c *Coordinator) change() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}
