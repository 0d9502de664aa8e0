package agent

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/spool"
)

// inMemory bounds the windows that are kept in memory as well as on disk, so that they can be sent without a read.
const inMemory = 64 << 20

// windowStore keeps the windows of all shards until they are acknowledged: on disk, so that they outlive the process, and
// in memory as far as that reaches. They are kept in their wire format: a decoded histogram is a hundred times as large.
type windowStore struct {
	disk *spool.Spool // nil without a directory
	log  *slog.Logger
	boot string // the boot id of this process

	unsaved atomic.Uint64 // windows that could not be written
	memory  int64         // bytes of windows in memory; under the agent's lock
	spooler spooler       // the only writer to the disk
}

// fetch returns a kept window.
func (s *windowStore) fetch(k *keptWindow) (*benchdv1.Window, error) {
	if w := k.window.Load(); w != nil {
		return w, nil
	}
	if k.released.Load() {
		return nil, errReleased
	}
	record, err := s.disk.Read(k.place)
	if err != nil {
		return nil, err
	}
	w := new(benchdv1.Window)
	if err := proto.Unmarshal(record, w); err != nil {
		return nil, fmt.Errorf("decode spooled window: %w", err)
	}
	w.BootId = ""
	return w, nil
}

// saved records where a window is on disk, and frees it from memory if necessary. The caller holds the agent's lock.
func (s *windowStore) saved(k *keptWindow, place spool.Place) {
	if k.released.Load() {
		s.disk.Remove(place)
		return
	}
	k.place = place
	k.shard.loose -= k.bytes
	if s.memory > inMemory && k.window.Swap(nil) != nil {
		s.memory -= k.bytes
	}
}

// errReleased is returned for a window that was acknowledged or dropped.
var errReleased = errors.New("the window is not kept any more")

// keptWindow is a window that is kept.
type keptWindow struct {
	shard    *keptWindows
	phase    string
	seq      uint32
	window   atomic.Pointer[benchdv1.Window] // nil when it is on disk only
	place    spool.Place                     // invalid when it is in memory only; set before window becomes nil
	bytes    int64
	released atomic.Bool // acknowledged or dropped: need not be sent
}

// keptWindows are the kept windows of a shard, in the order in which they were cut. They are protected by the agent's
// lock.
type keptWindows struct {
	store   *windowStore
	windows []*keptWindow
	bytes   int64 // of all
	loose   int64 // of those that are in memory only
}

func (s *keptWindows) len() int { return len(s.windows) }

// add keeps a window in memory until it is on disk, and returns how many windows were dropped: at most limit bytes are
// kept, and at most loose bytes that are not on disk. The oldest are dropped first, because the newest has the cumulative
// counts and the mark of the end.
func (s *keptWindows) add(w *benchdv1.Window, limit, loose int64) (kept *keptWindow, dropped uint64) {
	size := int64(proto.Size(w))
	kept = &keptWindow{shard: s, phase: w.GetPhase(), seq: w.GetSeq(), bytes: size}
	kept.window.Store(w)
	s.store.memory += size
	s.loose += size
	s.store.spooler.add(kept)
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

// ack drops an acknowledged window. Acknowledgements come nearly in order.
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
	s.drop(k)
	copy(s.windows[i:], s.windows[i+1:])
	s.windows[len(s.windows)-1] = nil
	s.windows = s.windows[:len(s.windows)-1]
}

func (s *keptWindows) drop(k *keptWindow) {
	k.released.Store(true)
	s.bytes -= k.bytes
	if k.window.Swap(nil) != nil {
		s.store.memory -= k.bytes
	}
	if k.place.Valid() {
		s.store.disk.Remove(k.place)
	} else {
		s.loose -= k.bytes
	}
}

// clear drops all windows.
func (s *keptWindows) clear() {
	for _, k := range s.windows {
		s.drop(k)
	}
	s.windows = nil
}
