package hbase

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsuna/gohbase/compression"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/target/hbase/gohbase"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/memory"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
	"github.com/benchd/benchd/internal/target/hbase/setup"
	"github.com/benchd/benchd/internal/workload"
)

// Table is a table of HBase.
type Table struct {
	settings    hbasespec.Settings
	workload    workload.Config // its keys determine the split points of a table
	run         string
	log         *slog.Logger
	family      []byte
	durability  byte
	valueFilter []byte // the entry of a filter list, or nil
	greeting    rpc.Config
	memory      memory.Pool // of large requests and answers

	regions *regionCache
	cluster *admin.Client   // nil in tests
	secured *setup.Security // nil in tests
	bulk    *bulk           // of a bulk load; nil otherwise
	second  *gohbase.Client // executes operations if it is not nil
	state   tableState

	mu      sync.Mutex
	servers map[string]*server // by address
	open    int                // sessions

	nonceGroup uint64
	nonces     atomic.Uint64

	retries atomic.Int64
	dials   atomic.Int64
	causes  causes
	hedges  hedges

	ctx  context.Context //nolint:containedctx // ends when the target is closed
	quit context.CancelFunc
	work sync.WaitGroup

	answers      sync.WaitGroup // to batches whose leaders have given up
	gatherWithin time.Duration
}

// New makes a Table that finds regions through locator. It does not connect yet.
func New(settings hbasespec.Settings, s load.Settings, locator Locator) *Table {
	t := &Table{
		settings:   settings,
		workload:   s.Workload,
		run:        s.Run,
		log:        s.Logger,
		family:     []byte(settings.Family.Name),
		durability: durabilities()[settings.Durability],
		greeting:   rpc.Config{User: settings.User, Service: "ClientService", KnownIO: s.KnownIO, Dial: s.Dial.Named("hbase:meta"), Priority: settings.Priority},
		servers:    make(map[string]*server),
		nonceGroup: rand.Uint64() | 1,

		gatherWithin: gatherWithin,
	}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	t.greeting.Memory = &t.memory
	if settings.Snappy {
		t.greeting.Codec = compression.New("snappy")
	}
	if settings.Scan.ValueFilter {
		t.valueFilter = newValueFilter(settings.Scan)
	}
	t.ctx, t.quit = context.WithCancel(context.Background())
	t.nonces.Store(rand.Uint64() >> 1)
	t.regions = newRegionCache(locator, t.server)
	t.work.Go(t.watch)
	return t
}

// server returns the server of an address.
func (t *Table) server(addr string) *server {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.servers[addr]
	if s == nil {
		s = newServer(t, addr)
		t.servers[addr] = s
	}
	return s
}

// nonce returns a number that is unique among the mutations of this target.
func (t *Table) nonce() uint64 { return t.nonces.Add(1) }

// Open returns the session of a worker.
func (t *Table) Open(ctx context.Context, worker int) (load.Session, error) {
	if err := t.ready(ctx); err != nil {
		return nil, err
	}
	if t.second != nil {
		return t.second.Open(worker), nil
	}
	t.mu.Lock()
	t.open++
	t.mu.Unlock()
	s := newSession(t, worker)
	if t.bulk == nil {
		return s, nil
	}
	t.bulk.probe.Do(func() {
		s.deadline.begin(ctx)
		t.bulk.wrong = s.probeBulk()
	})
	if t.bulk.wrong != nil {
		return nil, errors.Join(t.bulk.wrong, s.Close(ctx))
	}
	return s, nil
}

func (t *Table) closed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open--
}

// watch guards idle connections until the target is closed.
func (t *Table) watch() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-t.ctx.Done():
			return
		case <-tick.C:
		}
		for _, s := range t.all() {
			for _, cs := range s.slots {
				cs.guard()
			}
		}
	}
}

func (t *Table) all() []*server {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]*server, 0, len(t.servers))
	for _, s := range t.servers {
		all = append(all, s)
	}
	return all
}

// Close ends all connections.
func (t *Table) Close() error {
	t.quit()
	if t.second != nil {
		t.second.Close()
	}
	t.work.Wait()
	t.regions.close()
	for _, s := range t.all() {
		for _, cs := range s.slots {
			cs.close()
		}
	}
	if t.bulk != nil {
		if err := t.bulk.files.Close(); err != nil {
			t.log.Warn("cannot remove the folder of a bulk load", "folder", t.bulk.folder.String(), "error", err)
		}
	}
	t.answers.Wait() // closed connections have ended their calls
	if t.cluster != nil {
		t.cluster.Close()
	}
	if t.secured != nil {
		t.secured.Close()
	}
	return nil
}
