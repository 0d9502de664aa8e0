package agent

import (
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/spool"
)

// inMemory bounds the windows that are kept in memory as well as on disk, so that they can be sent without being read.
const inMemory = 64 << 20

// room is where the windows of all shards are kept until they are acknowledged: on disk, so that they outlive the
// process, and in memory as far as it reaches. They are kept as they are sent: a histogram in memory is a hundred times
// as large as one on the wire.
type room struct {
	disk *spool.Spool // nil without a directory
	log  *slog.Logger

	unsaved atomic.Uint64 // windows that the disk did not take
	failing atomic.Bool   // it did not take the last one

	memory int64 // bytes of windows in memory; under the agent's lock
}

// save writes a window to the disk. Where that fails the window is in memory alone; it is said once, not with every
// window. No lock is held.
func (r *room) save(w *benchdv1.Window) (spool.Place, int64) {
	size := int64(proto.Size(w))
	if r.disk == nil {
		return spool.Place{}, size
	}
	record, err := proto.Marshal(w)
	if err == nil {
		var place spool.Place
		if place, err = r.disk.Add(record); err == nil {
			if r.failing.Swap(false) {
				r.log.Info("windows are kept on disk again")
			}
			return place, size
		}
	}
	r.unsaved.Add(1)
	if !r.failing.Swap(true) {
		r.log.Error("windows are kept in memory only: they would be lost if this agent were killed", "error", err)
	}
	return spool.Place{}, size
}

// fetch returns a window that is kept.
func (r *room) fetch(k *keptWindow) (*benchdv1.Window, error) {
	if w := k.window.Load(); w != nil {
		return w, nil
	}
	record, err := r.disk.Read(k.place)
	if err != nil {
		return nil, err
	}
	w := new(benchdv1.Window)
	if err := proto.Unmarshal(record, w); err != nil {
		return nil, fmt.Errorf("decode spooled window: %w", err)
	}
	return w, nil
}

// sweep gives back the disk that is not needed.
func (r *room) sweep() {
	if r.disk == nil {
		return
	}
	if err := r.disk.Sweep(); err != nil {
		r.log.Warn("the spool cannot be swept", "error", err)
	}
}

// keptWindow is a window that is kept.
type keptWindow struct {
	phase  string
	seq    uint32
	window atomic.Pointer[benchdv1.Window] // nil when it is on disk alone
	place  spool.Place                     // not valid when it is in memory alone
	bytes  int64
	gone   atomic.Bool // acknowledged or dropped: need not be sent
}

// keptWindows are the windows of a shard that are kept, in the order in which they were cut. They are under the
// agent's lock.
type keptWindows struct {
	room    *room
	windows []*keptWindow
	bytes   int64 // of all
	loose   int64 // of those that are in memory alone
}

func (s *keptWindows) len() int { return len(s.windows) }

// add keeps a window, and returns how many had to be dropped because there is room for no more than limit bytes of
// them, and loose bytes of those that the disk did not take. The oldest go first: the newest has the counts and the mark
// of the end.
func (s *keptWindows) add(w *benchdv1.Window, place spool.Place, size, limit, loose int64) (kept *keptWindow, dropped uint64) {
	kept = &keptWindow{phase: w.GetPhase(), seq: w.GetSeq(), place: place, bytes: size}
	if !place.Valid() {
		s.loose += size
	}
	if !place.Valid() || s.room.memory+size <= inMemory {
		kept.window.Store(w)
		s.room.memory += size
	}
	s.windows = append(s.windows, kept)
	s.bytes += size
	for s.bytes > limit && len(s.windows) > 1 {
		s.remove(0)
		dropped++
	}
	for s.loose > loose {
		oldest := slices.IndexFunc(s.windows, func(k *keptWindow) bool { return !k.place.Valid() })
		if s.windows[oldest] == kept {
			break
		}
		s.remove(oldest)
		dropped++
	}
	return kept, dropped
}

// ack forgets a window. Acknowledgements come in order, or nearly so.
func (s *keptWindows) ack(phase string, seq uint32) {
	for i, k := range s.windows {
		if k.seq == seq && k.phase == phase {
			s.remove(i)
			return
		}
	}
}

func (s *keptWindows) remove(i int) {
	k := s.windows[i]
	s.letGo(k)
	copy(s.windows[i:], s.windows[i+1:])
	s.windows[len(s.windows)-1] = nil
	s.windows = s.windows[:len(s.windows)-1]
}

func (s *keptWindows) letGo(k *keptWindow) {
	k.gone.Store(true)
	s.bytes -= k.bytes
	if k.window.Swap(nil) != nil {
		s.room.memory -= k.bytes
	}
	if k.place.Valid() {
		s.room.disk.Remove(k.place)
	} else {
		s.loose -= k.bytes
	}
}

// clear forgets all.
func (s *keptWindows) clear() {
	for _, k := range s.windows {
		s.letGo(k)
	}
	s.windows = nil
}
