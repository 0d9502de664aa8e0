package null

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/target/null/nullspec"
)

// unborn is the value of System.began before the first operation.
const unborn = -1

// Target is the null target.
func Target() target.Target {
	return target.Target{Target: nullspec.Target(), Open: Open}
}

// System accepts operations.
type System struct {
	settings nullspec.Settings
	agent    string
	shard    int
	seed     uint64
	plain    bool // timers
	knownIO  bool // no raw system calls

	birth time.Time // zero of the monotonic clock of all sessions
	queue queue
	began atomic.Int64 // when the first operation came, since birth; unborn before

	mu  sync.Mutex
	n   int // open sessions
	log *os.File
}

// Open is the null target's load.Driver.
func Open(_ context.Context, s load.Settings) (load.Target, error) {
	settings, err := nullspec.Read(s.Properties)
	if err != nil {
		return nil, fmt.Errorf("read settings of target null: %w", err)
	}
	return New(settings, s)
}

// New makes a System. From s it uses the names, the seed and the kinds of timers and system calls.
func New(settings nullspec.Settings, s load.Settings) (*System, error) {
	t := &System{settings: settings, agent: s.Agent, shard: s.Shard, seed: settings.Seed, plain: s.PlainTimers, knownIO: s.KnownIO, birth: time.Now()}
	if t.seed == 0 {
		t.seed = s.Seed
	}
	if settings.Capacity > 0 {
		t.queue.each = 1e9 / settings.Capacity
	}
	if settings.LogPath != "" {
		log, err := openLog(s.WriteBelow, settings.LogPath)
		if err != nil {
			return nil, fmt.Errorf("open log of operations (null.log=%s): %w", settings.LogPath, err)
		}
		t.log = log
	}
	return t, nil
}

// Open returns the session of a worker.
func (t *System) Open(_ context.Context, worker int) (load.Session, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n == 0 {
		t.began.Store(unborn) // a new phase
		t.queue.reset()
	}
	s, err := newSession(t, worker)
	if err != nil {
		return nil, err
	}
	t.n++
	return s, nil
}

func (t *System) closed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n--
}

// Close closes the log.
func (t *System) Close() error {
	if t.log == nil {
		return nil
	}
	if err := t.log.Close(); err != nil {
		return fmt.Errorf("close log of operations %s: %w", t.settings.LogPath, err)
	}
	return nil
}

// now returns the time since the target's birth.
func (t *System) now() int64 { return int64(time.Since(t.birth)) }

// origin returns when the first operation came.
func (t *System) origin(now int64) int64 {
	if began := t.began.Load(); began != unborn {
		return began
	}
	t.began.CompareAndSwap(unborn, now)
	return t.began.Load()
}
