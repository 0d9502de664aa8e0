package agent

import (
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/spool"
)

// slowDisk is the duration of a write from which on it is logged.
const slowDisk = time.Second

// spooler writes windows to the disk of the spool, in the order in which they were cut, in a goroutine of its own.
// Nothing else waits for the disk: a stalled disk would delay the cut of the next windows, and samples would be counted
// in the wrong ones.
//
// A window that waits for the disk is in memory, like one that could not be written, and both are bounded together (see
// Config.MemoryBytes). A window that is acknowledged before its turn is not written.
type spooler struct {
	store *windowStore
	lock  sync.Locker // the agent's

	// Under the agent's lock.
	queue    []*keptWindow
	sweeping bool // unneeded segments of the spool must be removed
	ending   bool // no window is added any more

	ready chan struct{} // holds a token when there is something to do
	done  chan struct{} // closed when the goroutine has ended; nil before start

	failing bool // the last window could not be written; owned by the goroutine
}

// start starts to write the windows of a store, which has a disk.
func (s *spooler) start(store *windowStore, lock sync.Locker) {
	s.store, s.lock = store, lock
	s.ready, s.done = make(chan struct{}, 1), make(chan struct{})
	go s.run()
}

// add queues a window for writing. The caller holds the agent's lock.
func (s *spooler) add(k *keptWindow) {
	if s.done == nil || s.ending {
		return
	}
	for len(s.queue) > 0 && s.queue[0].released.Load() { // bounds the queue by the kept windows
		s.pop()
	}
	s.queue = append(s.queue, k)
	s.announce()
}

// sweep queues the removal of unneeded segments. The caller holds the agent's lock.
func (s *spooler) sweep() {
	s.sweeping = true
	s.announce()
}

func (s *spooler) announce() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// end writes the queued windows and joins the goroutine. It returns false when the disk does not respond in time.
func (s *spooler) end(within time.Duration) bool {
	if s.done == nil {
		return true
	}
	s.lock.Lock()
	s.ending = true
	s.announce()
	s.lock.Unlock()
	late := time.NewTimer(within)
	defer late.Stop()
	select {
	case <-s.done:
		return true
	case <-late.C:
		return false
	}
}

func (s *spooler) run() {
	defer close(s.done)
	for {
		next, sweep, over := s.take()
		switch {
		case next != nil:
			s.save(next)
		case sweep:
			if err := s.store.disk.Sweep(); err != nil {
				s.store.log.Warn("remove unneeded segments of the spool", "error", err)
			}
		case over:
			return
		default:
			<-s.ready
		}
	}
}

// take returns the next piece of work.
func (s *spooler) take() (next *keptWindow, sweep, over bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for len(s.queue) > 0 {
		if next = s.pop(); !next.released.Load() {
			return next, false, false
		}
	}
	sweep, s.sweeping = s.sweeping, false
	return nil, sweep, s.ending
}

func (s *spooler) pop() *keptWindow {
	first := s.queue[0]
	s.queue[0] = nil
	s.queue = s.queue[1:]
	return first
}

// save writes a window to the disk. If that fails, the window stays in memory alone; only the first of several failures
// is logged.
func (s *spooler) save(k *keptWindow) {
	w := k.window.Load()
	if w == nil {
		return // acknowledged meanwhile
	}
	began := clock.Mono()
	place, err := s.write(w)
	if took := began.Elapsed(); took > slowDisk {
		s.store.log.Warn("the disk of the spool is slow", "took", took)
	}
	if err != nil {
		s.store.unsaved.Add(1)
		if !s.failing {
			s.store.log.Error("windows are kept in memory only: they would be lost if this agent were killed", "error", err)
		}
		s.failing = true
		return
	}
	if s.failing {
		s.store.log.Info("windows are kept on disk again")
		s.failing = false
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.store.saved(k, place)
}

func (s *spooler) write(w *benchdv1.Window) (spool.Place, error) {
	record, err := proto.Marshal(w)
	if err != nil {
		return spool.Place{}, err
	}
	// Encoded messages that follow one another are one message: the window, with the boot id that an heir needs.
	if record, err = (proto.MarshalOptions{}).MarshalAppend(record, &benchdv1.Window{BootId: s.store.boot}); err != nil {
		return spool.Place{}, err
	}
	return s.store.disk.Add(record)
}
