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

// inMemory bounds the windows that are kept in memory as well as on disk, so that they can be sent without being read.
const inMemory = 64 << 20

// windowStore is where the windows of all shards are kept until they are acknowledged: on disk, so that they outlive the
// process, and in memory as far as it reaches. They are kept as they are sent: a histogram in memory is a hundred times
// as large as one on the wire.
type windowStore struct {
	disk *spool.Spool // nil without a directory
	log  *slog.Logger

	unsaved atomic.Uint64 // windows that the disk did not take
	memory  int64         // bytes of windows in memory; under the agent's lock
	spooler spooler       // the only one that writes to the disk
}

// fetch returns a window that is kept.
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
	return w, nil
}

// saved notes where a window is on disk. It need not stay in memory then. The caller holds the agent's lock.
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

// errReleased says that a window was acknowledged or dropped.
var errReleased = errors.New("the window is not kept any more")

// keptWindow is a window that is kept.
type keptWindow struct {
	shard    *keptWindows
	phase    string
	seq      uint32
	window   atomic.Pointer[benchdv1.Window] // nil when it is on disk alone
	place    spool.Place                     // not valid when it is in memory alone; set before window becomes nil
	bytes    int64
	released atomic.Bool // acknowledged or dropped: need not be sent
}

// keptWindows are the windows of a shard that are kept, in the order in which they were cut. They are under the
// agent's lock.
type keptWindows struct {
	store   *windowStore
	windows []*keptWindow
	bytes   int64 // of all
	loose   int64 // of those that are in memory alone
}

func (s *keptWindows) len() int { return len(s.windows) }

// add keeps a window in memory until it is on disk, and returns how many had to be dropped because there is room for no
// more than limit bytes of them, and loose bytes of those that are not on disk. The oldest go first: the newest has the
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

// clear forgets all.
func (s *keptWindows) clear() {
	for _, k := range s.windows {
		s.letGo(k)
	}
	s.windows = nil
}
