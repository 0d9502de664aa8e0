// Package wire converts domain types to messages and back, and errors to statuses and back. It checks messages from peers:
// its results are well formed and bounded.
package wire

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
)

// Protocol is the version of the protocol. Builds of one protocol version work together.
const Protocol = 1

// Bounds on what a peer may send.
const (
	MaxMessage = 16 << 20 // bytes
	// FlowWindow is how many bytes of a session may be in flight or unread. It is fixed on both sides: to estimate it,
	// gRPC would ping its peer for nearly every message that arrives. It bounds the memory that the unread windows of
	// thousands of agents take in a coordinator whose disk or processors are too slow for a while; agents keep the others.
	FlowWindow = 64 << 10
	maxWindow  = 4 << 20 // bytes; an honest one has tens of thousands
	maxSeries  = 512     // of a window
	maxSamples = 256     // of a window
	maxCauses  = 256     // of retries in a window
	maxGroups  = 64      // of workers in a window
	maxMap     = 4096    // entries
	// maxSettings bounds the lines of a properties file, maxList lists that are only shown.
	maxSettings = 1 << 16
	maxList     = 1 << 20
	maxText     = 4 << 10 // of an error's message
)

// errMalformed is the answer to a message that violates the protocol.
var errMalformed = errors.New("malformed message")

// FromWindow encodes a window.
func FromWindow(w *latency.Window) *benchdv1.Window {
	m := fromHead(w)
	if w.Lateness != nil {
		m.Lateness = encode(w.Lateness)
	}
	for _, s := range w.Series {
		m.Series = append(m.Series, FromSeries(s))
	}
	for _, g := range w.Groups {
		m.Groups = append(m.Groups, &benchdv1.GroupCount{
			Name: g.Name, Issued: g.Issued, Recorded: g.Recorded, Rows: g.Rows, Bytes: g.Bytes, LateSends: g.LateSends, Backlog: g.Backlog,
		})
	}
	for _, s := range w.Samples {
		m.Samples = append(m.Samples, &benchdv1.ErrorSample{Op: s.Op, Outcome: s.Outcome, Message: Text(s.Message)})
	}
	return m
}

// fromHead encodes the numbers of a window.
func fromHead(w *latency.Window) *benchdv1.Window {
	return &benchdv1.Window{
		Id:      FromShard(w.ID.Run, w.ID.Shard, w.ID.Attempt),
		Phase:   w.ID.Phase,
		Seq:     uint32(w.ID.Seq),
		StartNs: int64(w.Start), EndNs: int64(w.End),
		Tail: w.Tail, Last: w.Last,
		Rows: w.Rows, Bytes: w.Bytes, Issued: w.Issued, Recorded: w.Recorded,
		Health: fromHealth(w.Health), Watermark: w.Watermark, Loaded: w.Loaded, Retries: fromRetries(w.Retries),
	}
}

// FromSeries encodes a series.
func FromSeries(s latency.Series) *benchdv1.Series {
	m := &benchdv1.Series{
		Op: s.Key.Op, Outcome: s.Key.Outcome, PartOf: s.Key.PartOf,
		Response: encode(s.Response),
	}
	if s.Service != s.Response {
		m.Service = encode(s.Service)
	}
	return m
}

// ToSeries decodes a series. The series keeps references to the message's bytes.
func ToSeries(s *benchdv1.Series) (latency.Series, error) {
	return toSeries(s, new([2]latency.Histogram))
}

// toSeries is ToSeries with empty histograms to decode into.
func toSeries(s *benchdv1.Series, into *[2]latency.Histogram) (latency.Series, error) {
	key := latency.Key{Op: s.GetOp(), Outcome: s.GetOutcome(), PartOf: s.GetPartOf()}
	if badKey(key) {
		return latency.Series{}, fmt.Errorf("series %q/%q: %w", key.Op, key.Outcome, errMalformed)
	}
	response := &into[0]
	if err := response.Take(s.GetResponse()); err != nil {
		return latency.Series{}, fmt.Errorf("decode response times of %s: %w", key.Op, err)
	}
	service := response
	if len(s.GetService()) > 0 {
		service = &into[1]
		if err := service.Take(s.GetService()); err != nil {
			return latency.Series{}, fmt.Errorf("decode service times of %s: %w", key.Op, err)
		}
		if service.Count() != response.Count() {
			return latency.Series{}, fmt.Errorf("%s has %d response times but %d service times: %w", key.Op, response.Count(), service.Count(), errMalformed)
		}
	}
	return latency.Series{Key: key, Response: response, Service: service}, nil
}

func encode(h *latency.Histogram) []byte {
	b, err := h.AppendBinary(nil)
	if err != nil {
		panic(err) // its documentation guarantees that it is nil
	}
	return b
}

// ToWindow decodes and checks a window. The window keeps references to the message's bytes.
func ToWindow(m *benchdv1.Window) (*latency.Window, error) {
	if err := Check(m); err != nil {
		return nil, err
	}
	switch {
	case m.GetId() == nil:
		return nil, fmt.Errorf("window without identity: %w", errMalformed)
	case proto.Size(m) > maxWindow:
		return nil, fmt.Errorf("window of %d bytes: %w", proto.Size(m), errMalformed)
	}
	w := &latency.Window{
		ID: latency.WindowID{
			Run: m.GetId().GetRun(), Phase: m.GetPhase(), Shard: int(m.GetId().GetShard()),
			Attempt: int(m.GetId().GetAttempt()), Seq: int(m.GetSeq()),
		},
		Start: time.Duration(m.GetStartNs()), End: time.Duration(m.GetEndNs()),
		Tail: m.GetTail(), Last: m.GetLast(),
		Rows: m.GetRows(), Bytes: m.GetBytes(), Issued: m.GetIssued(), Recorded: m.GetRecorded(),
		Health: toHealth(m.GetHealth()), Watermark: m.GetWatermark(), Loaded: m.GetLoaded(), Retries: toRetries(m.GetRetries()),
	}
	if len(m.GetLateness()) > 0 {
		var err error
		if w.Lateness, err = latency.TakeHistogram(m.GetLateness()); err != nil {
			return nil, fmt.Errorf("decode lateness: %w", err)
		}
	}
	if n := len(m.GetSeries()); n > 0 {
		w.Series = make([]latency.Series, n)
		histograms := make([][2]latency.Histogram, n) // together: a coordinator has thousands of windows in memory
		for i, s := range m.GetSeries() {
			var err error
			if w.Series[i], err = toSeries(s, &histograms[i]); err != nil {
				return nil, err
			}
		}
	}
	if err := checkSeries(w); err != nil {
		return nil, err
	}
	for _, g := range m.GetGroups() {
		w.Groups = append(w.Groups, latency.GroupCount{
			Name: g.GetName(), Issued: g.GetIssued(), Recorded: g.GetRecorded(), Rows: g.GetRows(), Bytes: g.GetBytes(),
			LateSends: g.GetLateSends(), Backlog: g.GetBacklog(),
		})
	}
	for _, s := range m.GetSamples() {
		w.Samples = append(w.Samples, latency.ErrorSample{Op: Text(s.GetOp()), Outcome: Text(s.GetOutcome()), Message: Text(s.GetMessage())})
	}
	return w, nil
}

// CheckWindow refuses a window that no peer could have sent: windows of an imported file have the same bounds as those of
// agents.
func CheckWindow(w *latency.Window) error {
	m := fromHead(w)
	if len(w.Series) > maxSeries || len(w.Samples) > maxSamples {
		return fmt.Errorf("window with %d series and %d samples: %w", len(w.Series), len(w.Samples), errMalformed)
	}
	if id := w.ID; id.Shard < 0 || id.Attempt < 0 || id.Seq < 0 || id.Shard > maxShards || id.Attempt > maxShards || id.Seq > maxSeq {
		return fmt.Errorf("window %d of shard %d, attempt %d: %w", id.Seq, id.Shard, id.Attempt, errMalformed)
	}
	if p := w.Health.GCPauses; p < 0 || p > maxSeq {
		return fmt.Errorf("window with %d pauses: %w", p, errMalformed)
	}
	if err := Check(m); err != nil {
		return err
	}
	for i := range w.Series {
		if k := w.Series[i].Key; badKey(k) {
			return fmt.Errorf("series %q/%q: %w", Text(k.Op), Text(k.Outcome), errMalformed)
		}
	}
	return checkSeries(w)
}

// checkSeries checks what Check cannot see: the contents of histograms, and the consistency of fields.
func checkSeries(w *latency.Window) error {
	switch {
	case w.ID.Phase == "" || len(w.ID.Phase) > maxName:
		return fmt.Errorf("window of phase %q: %w", Text(w.ID.Phase), errMalformed)
	case w.End < w.Start:
		return fmt.Errorf("window from %d to %d ns: %w", w.Start, w.End, errMalformed)
	case w.Lateness != nil && w.Lateness.Count() > maxCount:
		return fmt.Errorf("window with the lateness of %d operations: %w", w.Lateness.Count(), errMalformed)
	}
	seen := make(map[latency.Key]bool, len(w.Series))
	for i := range w.Series {
		s := &w.Series[i]
		switch {
		case seen[s.Key]:
			return fmt.Errorf("series %s of a window comes twice: %w", s.Key, errMalformed)
		case s.Response.Count() > maxCount:
			return fmt.Errorf("%s has %d response times: %w", s.Key, s.Response.Count(), errMalformed)
		}
		seen[s.Key] = true
	}
	return nil
}

func badKey(key latency.Key) bool {
	return key.Op == "" || key.Outcome == "" || len(key.Op)+len(key.Outcome)+len(key.PartOf) > 3*maxName
}

func fromHealth(h latency.Health) *benchdv1.Health {
	return &benchdv1.Health{
		Cores: h.Cores, HostIdle: h.HostIdle, OwnCpu: h.OwnCPU, NetRx: h.NetRx, NetTx: h.NetTx, NetUse: h.NetUse,
		GcPauses: uint32(h.GCPauses), GcPauseTotalNs: int64(h.GCPauseTotal), GcPauseMaxNs: int64(h.GCPauseMax),
		SchedLagP99Ns: int64(h.SchedLagP99), SchedLagMaxNs: int64(h.SchedLagMax),
		LateSends: h.LateSends, LateMaxNs: int64(h.LateMax), Backlog: h.Backlog,
	}
}

func toHealth(m *benchdv1.Health) latency.Health {
	return latency.Health{
		Cores: finite(m.GetCores()), HostIdle: finite(m.GetHostIdle()), OwnCPU: finite(m.GetOwnCpu()),
		NetRx: m.GetNetRx(), NetTx: m.GetNetTx(), NetUse: m.GetNetUse(),
		GCPauses: int(m.GetGcPauses()), GCPauseTotal: time.Duration(m.GetGcPauseTotalNs()), GCPauseMax: time.Duration(m.GetGcPauseMaxNs()),
		SchedLagP99: time.Duration(m.GetSchedLagP99Ns()), SchedLagMax: time.Duration(m.GetSchedLagMaxNs()),
		LateSends: m.GetLateSends(), LateMax: time.Duration(m.GetLateMaxNs()), Backlog: m.GetBacklog(),
	}
}

// finite replaces numbers that JSON cannot represent.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// Text makes a text from elsewhere, such as a target's error, safe to send, store and show: not too long, and valid UTF-8,
// which protobuf requires.
func Text(s string) string {
	cut := len(s) > maxText
	if cut {
		s = s[:maxText]
	}
	s = strings.ToValidUTF8(s, "?")
	if cut {
		s += "…"
	}
	return s
}

// fromRetries encodes counts by cause. A target's causes may be any text.
func fromRetries(by map[string]uint64) map[string]uint64 {
	if len(by) == 0 {
		return nil
	}
	out := make(map[string]uint64, len(by))
	for cause, n := range by {
		out[Text(cause)] += n
	}
	return out
}

// toRetries decodes counts by cause. A cause without a count is left out.
func toRetries(by map[string]uint64) map[string]uint64 {
	var out map[string]uint64
	for cause, n := range by {
		if n == 0 {
			continue
		}
		if out == nil {
			out = make(map[string]uint64, len(by))
		}
		out[Text(cause)] += n
	}
	return out
}
