// Package wire turns the domain's words into messages and back, and errors into statuses and back. A message
// from a peer is judged here: what comes out of this package is well formed and bounded.
package wire

import (
	"errors"
	"fmt"
	"math"
	"time"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
)

// Protocol is the version of the protocol. Builds of one protocol version work together.
const Protocol = 1

// Bounds on what a peer may send.
const (
	MaxMessage = 16 << 20 // bytes
	maxSeries  = 512      // of a window
	maxSamples = 256      // of a window
	maxText    = 4 << 10  // of an error's message
	maxName    = 128
	maxLabels  = 64
	maxHeld    = 64
)

// errMalformed is what a peer gets for a message that breaks the protocol.
var errMalformed = errors.New("malformed message")

// FromWindow encodes a window.
func FromWindow(w *latency.Window) *benchdv1.Window {
	m := &benchdv1.Window{
		Id:      FromShard(w.ID.Run, w.ID.Shard, w.ID.Attempt),
		Phase:   w.ID.Phase,
		Seq:     uint32(w.ID.Seq),
		StartNs: int64(w.Start), EndNs: int64(w.End),
		Tail: w.Tail, Last: w.Last,
		Rows: w.Rows, Bytes: w.Bytes, Issued: w.Issued, Recorded: w.Recorded,
		Health: fromHealth(w.Health),
	}
	for _, s := range w.Series {
		series := &benchdv1.Series{
			Op: s.Key.Op, Outcome: s.Key.Outcome, PartOf: s.Key.PartOf,
			Response: encode(s.Response),
		}
		if s.Service != s.Response {
			series.Service = encode(s.Service)
		}
		m.Series = append(m.Series, series)
	}
	for _, s := range w.Samples {
		m.Samples = append(m.Samples, &benchdv1.ErrorSample{Op: s.Op, Outcome: s.Outcome, Message: clip(s.Message)})
	}
	return m
}

func encode(h *latency.Histogram) []byte {
	b, err := h.AppendBinary(nil)
	if err != nil {
		panic(err) // its documentation says that it never is
	}
	return b
}

// ToWindow decodes and judges a window.
func ToWindow(m *benchdv1.Window) (*latency.Window, error) {
	switch {
	case m.GetId() == nil || m.GetPhase() == "" || len(m.GetPhase()) > maxName:
		return nil, fmt.Errorf("window without identity: %w", errMalformed)
	case len(m.GetSeries()) > maxSeries || len(m.GetSamples()) > maxSamples:
		return nil, fmt.Errorf("window with %d series and %d samples: %w", len(m.GetSeries()), len(m.GetSamples()), errMalformed)
	case m.GetEndNs() < m.GetStartNs():
		return nil, fmt.Errorf("window that ends before it starts: %w", errMalformed)
	}
	w := &latency.Window{
		ID: latency.WindowID{
			Run: m.GetId().GetRun(), Phase: m.GetPhase(), Shard: int(m.GetId().GetShard()),
			Attempt: int(m.GetId().GetAttempt()), Seq: int(m.GetSeq()),
		},
		Start: time.Duration(m.GetStartNs()), End: time.Duration(m.GetEndNs()),
		Tail: m.GetTail(), Last: m.GetLast(),
		Rows: m.GetRows(), Bytes: m.GetBytes(), Issued: m.GetIssued(), Recorded: m.GetRecorded(),
		Health: toHealth(m.GetHealth()),
	}
	seen := make(map[latency.Key]bool, len(m.GetSeries()))
	for _, s := range m.GetSeries() {
		key := latency.Key{Op: s.GetOp(), Outcome: s.GetOutcome(), PartOf: s.GetPartOf()}
		if key.Op == "" || key.Outcome == "" || len(key.Op)+len(key.Outcome)+len(key.PartOf) > 3*maxName || seen[key] {
			return nil, fmt.Errorf("series %q/%q of a window: %w", key.Op, key.Outcome, errMalformed)
		}
		seen[key] = true
		response, err := latency.DecodeHistogram(s.GetResponse())
		if err != nil {
			return nil, fmt.Errorf("decode response times of %s: %w", key.Op, err)
		}
		service := response
		if len(s.GetService()) > 0 {
			if service, err = latency.DecodeHistogram(s.GetService()); err != nil {
				return nil, fmt.Errorf("decode service times of %s: %w", key.Op, err)
			}
			if service.Count() != response.Count() {
				return nil, fmt.Errorf("%s has %d response times but %d service times: %w", key.Op, response.Count(), service.Count(), errMalformed)
			}
		}
		w.Series = append(w.Series, latency.Series{Key: key, Response: response, Service: service})
	}
	for _, s := range m.GetSamples() {
		w.Samples = append(w.Samples, latency.ErrorSample{Op: clip(s.GetOp()), Outcome: clip(s.GetOutcome()), Message: clip(s.GetMessage())})
	}
	return w, nil
}

func fromHealth(h latency.Health) *benchdv1.Health {
	return &benchdv1.Health{
		Cores: h.Cores, HostIdle: h.HostIdle, OwnCpu: h.OwnCPU, NetRx: h.NetRx, NetTx: h.NetTx,
		GcPauses: uint32(h.GCPauses), GcPauseTotalNs: int64(h.GCPauseTotal), GcPauseMaxNs: int64(h.GCPauseMax),
		SchedLagP99Ns: int64(h.SchedLagP99), SchedLagMaxNs: int64(h.SchedLagMax),
		LateSends: h.LateSends, LateMaxNs: int64(h.LateMax), Backlog: h.Backlog,
	}
}

func toHealth(m *benchdv1.Health) latency.Health {
	return latency.Health{
		Cores: finite(m.GetCores()), HostIdle: finite(m.GetHostIdle()), OwnCPU: finite(m.GetOwnCpu()),
		NetRx: m.GetNetRx(), NetTx: m.GetNetTx(),
		GCPauses: int(m.GetGcPauses()), GCPauseTotal: time.Duration(m.GetGcPauseTotalNs()), GCPauseMax: time.Duration(m.GetGcPauseMaxNs()),
		SchedLagP99: time.Duration(m.GetSchedLagP99Ns()), SchedLagMax: time.Duration(m.GetSchedLagMaxNs()),
		LateSends: m.GetLateSends(), LateMax: time.Duration(m.GetLateMaxNs()), Backlog: m.GetBacklog(),
	}
}

// finite keeps what JSON cannot say out of results.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

func clip(s string) string {
	if len(s) > maxText {
		return s[:maxText] + "…"
	}
	return s
}
