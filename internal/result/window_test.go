package result_test

import (
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// phases and shards that most tests are about: three agents on hosts of their own, windows of a second.
func config(shards int) result.BuilderConfig {
	cfg := result.BuilderConfig{
		Run:           "S.1",
		Interval:      time.Second,
		Phases:        []result.PhaseInfo{{Name: "measure", Loop: "closed", Planned: 60 * time.Second}},
		NotFoundShare: 0.001,
	}
	for i := range shards {
		name := string(rune('a' + i))
		cfg.Shards = append(cfg.Shards, result.ShardInfo{Index: i, Attempt: 1, Agent: name, Host: "host-" + name, Workers: 4})
	}
	return cfg
}

// windows makes the windows of one shard's phase, with the cumulative counts that an agent would give.
type windows struct {
	phase            string
	shard, attempt   int
	issued, recorded uint64
	seq              int
}

func of(phase string, shard int) *windows { return &windows{phase: phase, shard: shard, attempt: 1} }

// next is a window of one second with these series, healthy.
func (ws *windows) next(series ...latency.Series) *latency.Window {
	start := time.Duration(ws.seq) * time.Second
	n := latency.Ops(series)
	ws.issued += n
	ws.recorded += n
	w := &latency.Window{
		ID:    latency.WindowID{Run: "S.1", Phase: ws.phase, Shard: ws.shard, Attempt: ws.attempt, Seq: ws.seq},
		Start: start, End: start + time.Second,
		Series: series,
		Rows:   n, Bytes: 100 * n,
		Issued: ws.issued, Recorded: ws.recorded,
		Health: latency.Health{Cores: 4, HostIdle: 0.6, OwnCPU: 0.5},
	}
	ws.seq++
	return w
}

// last is the shard's last window, cut when its last operation was done.
func (ws *windows) last(series ...latency.Series) *latency.Window {
	w := ws.next(series...)
	w.Last = true
	return w
}

// tail is the window of the operations in flight at the end.
func (ws *windows) tail(series ...latency.Series) *latency.Window {
	w := ws.next(series...)
	w.End = w.Start + 20*time.Millisecond
	w.Tail, w.Last = true, true
	return w
}

// series holds samples in microseconds; both clocks are the same.
func series(op, outcome string, us ...int) latency.Series {
	var h latency.Histogram
	for _, v := range us {
		h.Record(int64(v) * 1000)
	}
	return latency.Series{Key: latency.Key{Op: op, Outcome: outcome}, Response: &h, Service: &h}
}

// inRMW makes s a part of a READ-MODIFY-WRITE.
func inRMW(s latency.Series) latency.Series {
	s.Key.PartOf = "READ-MODIFY-WRITE"
	return s
}

// spread are n samples from 1 µs to n µs.
func spread(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

// same are n samples of v µs.
func same(n, v int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = v
	}
	return out
}
