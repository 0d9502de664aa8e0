package regionserver

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/filter"
	"github.com/benchd/benchd/internal/sandbox/rpc"
)

// maxScanners bounds the open scanners of a server.
const maxScanners = 10_000

// open is a scanner that a client may continue.
type open struct {
	region *cluster.Region
	rows   cluster.Scanner
	filter filter.Filter // may be nil
	size   uint64        // page size that the client asked for when it opened the scanner
	limit  int           // remaining rows; negative means no limit
	batch  bool          // a row may come in parts because the client limits the cells per result
	cursor bool          // the client asks for the row at which an empty page ended

	mu   sync.Mutex // held while a call reads
	next uint64     // expected number of the client's next call

	until time.Time // guarded by scanners.mu, like busy
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

// add opens a lease.
func (s *scanners) add(o *open) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return 0, rpc.Exceptionf(hbase+"regionserver.RegionServerStoppedException", "the server is stopping")
	}
	if len(s.open) >= maxScanners {
		return 0, rpc.Exceptionf(hbase+"RegionTooBusyException", "%d scanners are open, which is the sandbox's limit", maxScanners)
	}
	if s.open == nil {
		s.open = map[uint64]*open{}
		// Numbers must differ from those of other servers, and from those that this server gave before a restart.
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

// take finds a scanner and suspends its lease until back is called.
func (s *scanners) take(id uint64) *open {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.open[id]
	if o != nil {
		o.busy = true
	}
	return o
}

// back renews the lease of a scanner.
func (s *scanners) back(o *open) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.until, o.busy = time.Now().Add(s.lease), false
}

// remove closes a scanner.
func (s *scanners) remove(id uint64) {
	s.mu.Lock()
	o := s.open[id]
	delete(s.open, id)
	s.mu.Unlock()
	if o != nil {
		o.rows.Close()
	}
}

// expire closes the scanners whose leases have expired.
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
