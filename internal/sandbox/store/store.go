package store

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options configure a store. The zero value is a store in memory.
type Options struct {
	Dir    string       // folder of the data; empty: in memory, lost at Close
	Logger *slog.Logger // default: none

	// MaxBytes bounds an in-memory store: keys, values and cells that compaction has not removed yet. Writes beyond it
	// fail with ErrFull. Default 1 GiB. It does not apply to a store in a folder.
	MaxBytes int64
	// CacheBytes bounds the block cache, which fills as it is used. Default 32 MiB.
	CacheBytes int64
	// MemTableBytes is the size at which the memory table is written to a file. Default 8 MiB.
	MemTableBytes int
	// MaxCellBytes bounds a cell. Default 10 MiB, as in HBase.
	MaxCellBytes int
	// MaxRowBytes bounds the bytes of one row in a Get, or in a page of a scanner. Default 256 MiB.
	MaxRowBytes int
	// TidyBytes is how many bytes are written to a table before the store looks for invisible versions; it waits at least
	// until as many bytes were written as the table holds. Default 64 MiB; negative: never.
	TidyBytes int64
	// ReplicaAge is how old the cells are at most that replicas of regions return. Default 1 s.
	ReplicaAge time.Duration
	// OnSync gets the time that each write waited for the disk. Default: none.
	OnSync func(time.Duration)
	// Now is the server's clock. Default time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 30
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 32 << 20
	}
	if o.MemTableBytes == 0 {
		o.MemTableBytes = 8 << 20
	}
	if o.MaxCellBytes == 0 {
		o.MaxCellBytes = 10 << 20
	}
	if o.MaxRowBytes == 0 {
		o.MaxRowBytes = 256 << 20
	}
	if o.TidyBytes == 0 {
		o.TidyBytes = 64 << 20
	}
	if o.ReplicaAge == 0 {
		o.ReplicaAge = time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// stripes is the number of row locks.
const stripes = 1024

// stripe is the lock of the rows that hash to it, and their last timestamps. A row's server timestamps never decrease,
// and a value written after a marker is later than it, even in the same millisecond.
type stripe struct {
	sync.Mutex
	last       int64
	lastMarker int64
}

// Store is a sandbox's storage. It is safe for concurrent use.
type Store struct {
	opts  Options
	db    *pebble.DB
	cache *pebble.Cache
	seed  maphash.Seed
	locks [stripes]stripe

	copying    sync.Mutex   // held while a snapshot is taken, restored or deleted; before mu
	mu         sync.RWMutex // guards the catalogue below
	namespaces map[string]Namespace
	tables     map[Name]*table
	regions    map[string]*Region
	snapshots  map[string]snapshotRecord
	nextTable  uint32
	lastRegion int64

	readers  sync.Pool // *reader
	replicas replicaViews
	nearby   atomic.Int64
	flushes  atomic.Int64
	unread   atomic.Int64 // bytes written since held was measured
	held     atomic.Int64 // bytes in memory, as pebble reports them
	// measured is when a full store was last measured, in nanoseconds since 1970.
	measured atomic.Int64
	closed   atomic.Bool
	ctx      context.Context //nolint:containedctx // ends the background work; Close cancels it
	cancel   context.CancelFunc
	work     sync.WaitGroup
	ending   sync.Mutex // held while work is added or closed is set
}

// Open opens or makes a store.
func Open(opts Options) (*Store, error) {
	opts = opts.withDefaults()
	s := &Store{
		opts:       opts,
		seed:       maphash.MakeSeed(),
		namespaces: map[string]Namespace{},
		tables:     map[Name]*table{},
		regions:    map[string]*Region{},
		snapshots:  map[string]snapshotRecord{},
		nextTable:  1,
		cache:      pebble.NewCache(opts.CacheBytes),
	}
	s.nearby.Store(stepsBeforeSeek)
	s.readers.New = func() any { return &reader{} }
	s.ctx, s.cancel = context.WithCancel(context.Background())
	db, err := pebble.Open(opts.Dir, s.pebble())
	if err != nil {
		s.cancel()
		s.cache.Unref()
		if opts.Dir == "" {
			return nil, fmt.Errorf("open the store: %w", err)
		}
		return nil, fmt.Errorf("open the sandbox's folder %s: %w; is another sandbox using it?", opts.Dir, err)
	}
	s.db = db
	if err := s.load(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) pebble() *pebble.Options {
	o := &pebble.Options{
		Cache:                       s.cache,
		Comparer:                    comparer(),
		FormatMajorVersion:          pebble.FormatNewest,
		FS:                          vfs.Default,
		Logger:                      logger{s.opts.Logger},
		MaxOpenFiles:                500,
		MemTableSize:                uint64(s.opts.MemTableBytes),
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       2,
		L0StopWritesThreshold:       32,
		EventListener: &pebble.EventListener{
			FlushEnd: func(pebble.FlushInfo) { s.flushes.Add(1) },
		},
	}
	if s.opts.Dir == "" {
		// An in-memory store needs no log.
		o.FS, o.DisableWAL = vfs.NewMem(), true
	}
	// Pebble considers all cells of a row but the first older versions of it, and would put their values into separate
	// blocks.
	o.Experimental.EnableValueBlocks = func() bool { return false }
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		o.Levels[i].FilterType = pebble.TableFilter
	}
	return o
}

// Close stops the store's background work and closes it. Scanners and Gets must have ended.
func (s *Store) Close() error {
	s.ending.Lock()
	closed := s.closed.Swap(true)
	s.ending.Unlock()
	if closed {
		return nil
	}
	s.cancel()
	s.work.Wait()
	s.replicas.close()
	err := s.db.Close()
	s.cache.Unref()
	if err != nil {
		return fmt.Errorf("close the store: %w", err)
	}
	return nil
}

func (s *Store) now() int64 { return s.opts.Now().UnixMilli() }

// write commits a change of the catalogue.
func (s *Store) write(fill func(b *pebble.Batch) error) error {
	b := s.db.NewBatch()
	defer b.Close()
	if err := fill(b); err != nil {
		return err
	}
	how := pebble.Sync
	if s.opts.Dir == "" {
		how = pebble.NoSync
	}
	if err := b.Commit(how); err != nil {
		return fmt.Errorf("write the catalogue: %w", err)
	}
	return nil
}

// logger sends pebble's messages to slog: information at debug level, errors at error level.
type logger struct{ log *slog.Logger }

func (l logger) Infof(format string, args ...any) {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		l.log.Debug("pebble", "text", fmt.Sprintf(format, args...))
	}
}

func (l logger) Errorf(format string, args ...any) {
	l.log.Error("pebble", "text", fmt.Sprintf(format, args...))
}

// Fatalf is called by pebble if continuing would lose data, for example if the disk fails during a log sync.
func (l logger) Fatalf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	l.log.Error("pebble", "text", text)
	panic("sandbox storage: " + text)
}
