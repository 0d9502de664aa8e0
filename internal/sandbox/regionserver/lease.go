package regionserver

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/filter"
	"github.com/benchd/benchd/internal/sandbox/rpc"
)

// maxScanners bounds how many scanners a server keeps open.
const maxScanners = 10_000

// open is a scanner that a client may go on with.
type open struct {
	region *cluster.Region
	rows   cluster.Scanner
	filter filter.Filter // may be nil
	size   uint64        // of a page, as the client asked for at the beginning
	limit  int           // how many rows are left; negative: no limit
	batch  bool          // rows may come in parts because the client asked for few cells at once
	cursor bool          // the client asks for the row where a page without rows ended

	mu   sync.Mutex // held while a call reads
	next uint64     // the number that the client's next call must have

	until time.Time // guarded by scanners.mu, as busy is
	busy  bool
}

// scanners are the open scanners of a server, by number. The zero value with a lease is ready.
type scanners struct {
	lease time.Duration
	last  atomic.Uint64

	mu    sync.Mutex
	open  map[uint64]*open
	sweep *time.Timer
	ended bool
}

// Add opens a lease.
func (s *scanners) add(o *open) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return 0, rpc.Exceptionf(hbase+"regionserver.RegionServerStoppedException", "the server stops")
	}
	if len(s.open) >= maxScanners {
		return 0, rpc.Exceptionf(hbase+"RegionTooBusyException", "%d scanners are open; the sandbox has no more", maxScanners)
	}
	if s.open == nil {
		s.open = map[uint64]*open{}
		// Other servers give other numbers, and so does this one when it is started again.
		s.last.CompareAndSwap(0, uint64(time.Now().UnixNano())&^0xfffff)
	}
	id := s.last.Add(1)
	o.until, o.busy = time.Now().Add(s.lease), true
	s.open[id] = o
	if s.sweep == nil {
		s.sweep = time.AfterFunc(s.lease/2, s.expire)
	}
	return id, nil
}

// Take finds a scanner, and keeps its lease from running out until back is called.
func (s *scanners) take(id uint64) *open {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.open[id]
	if o != nil {
		o.busy = true
	}
	return o
}

// Back gives a scanner a new lease.
func (s *scanners) back(o *open) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.until, o.busy = time.Now().Add(s.lease), false
}

// Remove closes a scanner.
func (s *scanners) remove(id uint64) {
	s.mu.Lock()
	o := s.open[id]
	delete(s.open, id)
	s.mu.Unlock()
	if o != nil {
		o.rows.Close()
	}
}

// Expire closes the scanners whose leases have run out.
func (s *scanners) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for id, o := range s.open {
		if !o.busy && now.After(o.until) {
			delete(s.open, id)
			o.rows.Close()
		}
	}
	if len(s.open) == 0 || s.ended {
		s.sweep = nil
		return
	}
	s.sweep.Reset(s.lease / 2)
}

func (s *scanners) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.sweep != nil {
		s.sweep.Stop()
	}
	for id, o := range s.open {
		delete(s.open, id)
		o.rows.Close()
	}
}
