package conductor

import (
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// keptIntervals is the number of complete intervals of a warm-up that are kept: those that the test for steadiness uses.
const keptIntervals = stats.SteadyOver

// warmup aggregates the work of all shards in a warm-up whose end the coordinator announces, by interval. It is built
// from windows alone, so that it can be rebuilt from the archive after a restart.
type warmup struct {
	name     plan.PhaseName // empty when the run has no such warm-up
	interval time.Duration

	pending    map[int]*interval // intervals that lack windows of shards
	from       map[int]int       // by shard: the interval of its first window, where it began too late
	whole      int               // number of complete intervals
	ops        uint64            // operations in these
	throughput []float64         // of the last intervals, in operations per second
	service    []float64         // of the last intervals, mean service time of good operations in ns
}

// interval is the work of all shards in an interval.
type interval struct {
	ops, good uint64
	service   float64
	has       map[int]bool // shards that have sent their window
}

func newWarmup(r *record.Run) *warmup {
	w := &warmup{interval: r.Settings.Interval, pending: make(map[int]*interval), from: make(map[int]int)}
	for i, p := range r.Phases {
		if p.Announced() && i+1 < len(r.Phases) && r.Phases[i+1].Joined {
			w.name = p.Name
		}
	}
	return w
}

// add adds an archived window.
func (w *warmup) add(in *latency.Window) {
	at := int(in.Start / max(w.interval, 1))
	if w.name == "" || in.ID.Phase != string(w.name) || in.Tail {
		return
	}
	if in.ID.Seq == 0 {
		w.from[in.ID.Shard] = at
	}
	if at < w.whole {
		return
	}
	iv := w.pending[at]
	if iv == nil {
		iv = &interval{has: make(map[int]bool)}
		w.pending[at] = iv
	}
	iv.has[in.ID.Shard] = true
	iv.ops += latency.Ops(in.Series)
	for i := range in.Series {
		if s := &in.Series[i]; s.Key.PartOf == "" && result.Good(s.Key.Outcome) && s.Service != nil {
			iv.good += s.Service.Count()
			iv.service += s.Service.Mean() * float64(s.Service.Count())
		}
	}
}

// advance adds up the intervals that have become complete, and reports whether there was one.
func (w *warmup) advance(shards []lifecycle.Shard) (news bool) {
	for {
		iv := w.pending[w.whole]
		if iv == nil || !w.complete(w.whole, shards) {
			return news
		}
		delete(w.pending, w.whole)
		w.whole++
		w.ops += iv.ops
		w.throughput = lastOf(append(w.throughput, float64(iv.ops)/w.interval.Seconds()))
		w.service = lastOf(append(w.service, iv.service/float64(max(iv.good, 1))))
		news = true
	}
}

// complete reports whether an interval has the windows of all busy shards that had started by then.
func (w *warmup) complete(at int, shards []lifecycle.Shard) bool {
	for i := range shards {
		if shards[i].State == lifecycle.Busy && shards[i].Lost == "" && !w.pending[at].has[i] && at >= w.from[i] {
			return false
		}
	}
	return true
}

func lastOf(series []float64) []float64 { return series[max(0, len(series)-keptIntervals):] }

// length returns the total length of the complete intervals.
func (w *warmup) length() time.Duration { return time.Duration(w.whole) * w.interval }

// steady tests whether throughput and service time are steady.
func (w *warmup) steady() (steady bool, because string) {
	for i, ns := range w.service {
		if ns == 0 {
			ago := time.Duration(len(w.service)-i) * w.interval
			return false, fmt.Sprintf("no operation succeeded in the interval that began %s earlier", ago)
		}
	}
	fast, ofThroughput := stats.Steady(w.throughput)
	even, ofService := stats.Steady(w.service)
	if len(w.throughput) < stats.SteadyOver {
		return false, ofThroughput
	}
	return fast && even, "throughput: " + ofThroughput + "; mean service time: " + ofService
}

// finished returns why the warm-up is over; because is empty while it is not.
func (w *warmup) finished(phase plan.Phase) (because string, verdict *result.Verdict) {
	if phase.Ops > 0 && w.ops >= uint64(phase.Ops) {
		return fmt.Sprintf("the warm-up has done %d of %d operations", w.ops, phase.Ops), nil
	}
	if phase.Until == plan.Steady {
		if steady, because := w.steady(); steady {
			because = fmt.Sprintf("after %s of warm-up: %s", w.length(), because)
			return "steady " + because, record.SteadyVerdict(true, because, w.interval)
		}
	}
	return "", nil
}

// outOfTime returns the outcome of a warm-up that has reached its bound.
func (w *warmup) outOfTime(phase plan.Phase) (because string, verdict *result.Verdict) {
	if phase.Until == plan.Steady {
		_, because := w.steady()
		because = fmt.Sprintf("not reached within %s; after %s: %s", phase.Duration, w.length(), because)
		return "steady was " + because, record.SteadyVerdict(false, because, w.interval)
	}
	return fmt.Sprintf("the warm-up has reached its limit of %s, with %d of %d operations done after %s", phase.Duration, w.ops, phase.Ops, w.length()), nil
}
