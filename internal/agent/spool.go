package agent

import (
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
)

// spool keeps the windows of a shard until they are acknowledged, in the order in which they were cut. They are kept
// as they are sent: a histogram in memory is a hundred times as large as one on the wire.
type spool struct {
	windows []*keptWindow
	bytes   int64
}

// keptWindow is a window in a spool.
type keptWindow struct {
	window *benchdv1.Window
	bytes  int64
	gone   atomic.Bool // acknowledged or dropped: need not be sent
}

func (s *spool) len() int { return len(s.windows) }

// add keeps a window, and returns how many had to be dropped because there is room for no more than limit bytes. The
// oldest go first: the newest has the counts and the mark of the end.
func (s *spool) add(w *benchdv1.Window, limit int64) (kept *keptWindow, dropped uint64) {
	kept = &keptWindow{window: w, bytes: int64(proto.Size(w))}
	s.windows = append(s.windows, kept)
	s.bytes += kept.bytes
	for s.bytes > limit && len(s.windows) > 1 {
		s.remove(0)
		dropped++
	}
	return kept, dropped
}

// ack forgets a window. Acknowledgements come in order, or nearly so.
func (s *spool) ack(phase string, seq uint32) {
	for i, k := range s.windows {
		if k.window.GetSeq() == seq && k.window.GetPhase() == phase {
			s.remove(i)
			return
		}
	}
}

func (s *spool) remove(i int) {
	k := s.windows[i]
	k.gone.Store(true)
	s.bytes -= k.bytes
	copy(s.windows[i:], s.windows[i+1:])
	s.windows[len(s.windows)-1] = nil
	s.windows = s.windows[:len(s.windows)-1]
}
