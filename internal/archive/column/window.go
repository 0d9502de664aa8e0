package column

import (
	"fmt"
	"math"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/latency"
)

// Check checks a window before anything of it is stored. An inconsistent one is archive.ErrInvalid.
func Check(w *latency.Window) error {
	refuse := func(format string, args ...any) error {
		return archive.Faultf(archive.ErrInvalid, nil, "add window %d of shard %d (attempt %d) in phase %s of run %s: %s",
			w.ID.Seq, w.ID.Shard, w.ID.Attempt, w.ID.Phase, w.ID.Run, fmt.Sprintf(format, args...))
	}
	if w.Watermark < 0 {
		return refuse("invalid watermark %d", w.Watermark)
	}
	if w.ID.Seq < 0 || w.ID.Shard < 0 || w.ID.Attempt < 0 {
		return refuse("its numbers must not be negative")
	}
	if w.End < w.Start {
		return refuse("it ends at %v, before its start at %v", w.End, w.Start)
	}
	h := &w.Health
	if n := max(w.Rows, w.Bytes, w.Issued, w.Recorded, h.NetRx, h.NetTx, h.LateSends, h.Backlog); n > math.MaxInt64 {
		return refuse("a count of %d is too large", n)
	}
	if f := h.Cores + h.HostIdle + h.OwnCPU; math.IsNaN(f) || math.IsInf(f, 0) {
		return refuse("a share of its health is not a number")
	}
	seen := make(map[latency.Key]bool, len(w.Series))
	for i := range w.Series {
		s := &w.Series[i]
		if seen[s.Key] {
			return refuse("it has %s twice", s.Key)
		}
		seen[s.Key] = true
		if s.Response == nil || s.Service == nil {
			return refuse("%s has no histogram", s.Key)
		}
		if n := s.Response.Count(); n != s.Service.Count() || n > math.MaxInt64 {
			return refuse("%s has %d response times and %d service times", s.Key, n, s.Service.Count())
		}
	}
	return nil
}
