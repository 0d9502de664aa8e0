package store

import (
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// replicaViews is the store as replicas of regions see it: a snapshot that they share, and renew when it is too old. HBase's replicas
// see in this way what their region has flushed.
type replicaViews struct {
	mu  sync.Mutex
	now *view
}

// view is a snapshot in use.
type view struct {
	snapshot *pebble.Snapshot
	taken    time.Time
	readers  int
	replaced bool
}

// begin returns the snapshot that replicas read. The caller calls end.
func (p *replicaViews) begin(s *Store) *view {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil || s.opts.Now().Sub(p.now.taken) >= s.opts.ReplicaAge {
		p.replace()
		p.now = &view{snapshot: s.db.NewSnapshot(), taken: s.opts.Now()}
	}
	p.now.readers++
	return p.now
}

// replace stops using the snapshot for further reads. The caller holds mu.
func (p *replicaViews) replace() {
	if v := p.now; v != nil {
		v.replaced = true
		v.close()
		p.now = nil
	}
}

// end ends a read.
func (p *replicaViews) end(v *view) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v.readers--
	v.close()
}

// close closes a snapshot that no read needs. The caller holds mu.
func (v *view) close() {
	if v.replaced && v.readers == 0 {
		_ = v.snapshot.Close() // it never fails on a first close
	}
}

// close ends with the store.
func (p *replicaViews) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replace()
}

// GetPast is Get as a replica of the region answers it: without the newest changes.
func (r *Region) GetPast(g *Get, out *Result) error {
	r.reads.Add(1)
	v := r.store.replicas.begin(r.store)
	defer r.store.replicas.end(v)
	return r.get(v.snapshot, g, out)
}

// ScanPast is Scan as a replica of the region answers it: without the newest changes.
func (r *Region) ScanPast(scan Scan) (*Scanner, error) {
	v := r.store.replicas.begin(r.store)
	s, err := r.scan(scan, v.snapshot, func() error { r.store.replicas.end(v); return nil })
	if err != nil {
		r.store.replicas.end(v)
	}
	return s, err
}
