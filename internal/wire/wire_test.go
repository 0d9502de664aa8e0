package wire_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/wire"
)

func window() *latency.Window {
	var response, service latency.Histogram
	for i := range int64(1000) {
		response.Record(i * 1000)
		service.Record(i * 900)
	}
	return &latency.Window{
		ID:    latency.WindowID{Run: "S.1", Phase: "measure", Shard: 2, Attempt: 1, Seq: 7},
		Start: 7 * time.Second, End: 8 * time.Second, Tail: true, Last: true,
		Series: []latency.Series{
			{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: &response, Service: &service},
			{Key: latency.Key{Op: "READ", Outcome: "OK", PartOf: "READ-MODIFY-WRITE"}, Response: &service, Service: &service},
		},
		Rows: 1, Bytes: 2, Issued: 3, Recorded: 4,
		Health:  latency.Health{Cores: 2, HostIdle: 0.5, OwnCPU: 1.5, NetRx: 1, GCPauses: 3, SchedLagP99: time.Millisecond, Backlog: 9},
		Samples: []latency.ErrorSample{{Op: "READ", Outcome: "ERROR", Message: "no"}},
	}
}

func TestAWindowSurvivesTheWire(t *testing.T) {
	want := window()
	got, err := wire.ToWindow(wire.FromWindow(want))
	require.NoError(t, err)
	require.Len(t, got.Series, 2)
	for i := range got.Series {
		require.Equal(t, want.Series[i].Response.Quantile(0.99), got.Series[i].Response.Quantile(0.99))
		require.Equal(t, want.Series[i].Service.Sum(), got.Series[i].Service.Sum())
	}
	require.Same(t, got.Series[1].Response, got.Series[1].Service, "equal times travel once")
	want.Series, got.Series = nil, nil
	require.Equal(t, want, got)
}

func TestAMalformedWindowIsRefused(t *testing.T) {
	tests := map[string]func(*benchdv1.Window){
		"no identity":            func(w *benchdv1.Window) { w.Id = nil },
		"ends before it starts":  func(w *benchdv1.Window) { w.EndNs = -1 },
		"series without a name":  func(w *benchdv1.Window) { w.Series[0].Op = "" },
		"a series twice":         func(w *benchdv1.Window) { w.Series[1] = w.Series[0] },
		"histogram of rubbish":   func(w *benchdv1.Window) { w.Series[0].Response = []byte("rubbish") },
		"times that do not pair": func(w *benchdv1.Window) { w.Series[0].Service = histogram(3) },
		"too many series":        func(w *benchdv1.Window) { w.Series = make([]*benchdv1.Series, 10_000) },
	}
	for name, bend := range tests {
		t.Run(name, func(t *testing.T) {
			m := wire.FromWindow(window())
			bend(m)
			_, err := wire.ToWindow(m)
			require.Error(t, err)
		})
	}
}

func histogram(n int) []byte {
	var h latency.Histogram
	for range n {
		h.Record(1)
	}
	b, _ := h.AppendBinary(nil)
	return b
}

func TestWhatJSONCannotSayIsKeptOut(t *testing.T) {
	m := wire.FromWindow(window())
	m.Health.HostIdle, m.Health.OwnCpu = math.NaN(), math.Inf(1)
	w, err := wire.ToWindow(m)
	require.NoError(t, err)
	require.Zero(t, w.Health.HostIdle)
	require.Zero(t, w.Health.OwnCPU)
}

func TestAShardSurvivesTheWire(t *testing.T) {
	want := plan.Shard{
		Run: "S.1", Index: 1, Count: 3, Attempt: 2, Agent: "b", Workers: 8, Properties: map[string]string{"a": "b"},
		Phases: []plan.Phase{{Name: plan.Warmup, Loop: plan.Open, Duration: time.Second}, {Name: plan.Measure, Loop: plan.Open, Ops: 5, Joined: true}},
	}
	got, err := wire.ToPlan(wire.FromPlan(want, true), "b")
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, err = wire.ToPlan(&benchdv1.Prepare{}, "b")
	require.ErrorIs(t, err, wire.ErrMalformed)
}

func TestALineSurvivesTheWire(t *testing.T) {
	want := clock.Line{X: math.MaxInt64 / 3, Y: -5, Rate: 123e-6}
	got := wire.ToLine(wire.FromLine("S.1", want))
	require.Equal(t, want.X, got.X)
	require.Equal(t, want.Y, got.Y)
	require.InDelta(t, want.Rate, got.Rate, 1e-15)
}

func TestAnErrorIsTheSameOnTheOtherSide(t *testing.T) {
	for _, kind := range []error{
		wire.ErrBadSpec, wire.ErrNotFound, wire.ErrTooFewAgents, wire.ErrNameTaken, wire.ErrProtocol, wire.ErrNotAllowed,
		wire.ErrUnreachable, wire.ErrFull, wire.ErrMalformed,
	} {
		err := wire.FromStatus(wire.ToStatus(wire.Errorf(kind, "table %q", "t")))
		require.ErrorIs(t, err, kind)
		require.Equal(t, `table "t"`, err.Error())
	}
	require.EqualError(t, wire.FromStatus(wire.ToStatus(errors.New("boom"))), "boom")
	require.NoError(t, wire.ToStatus(nil))
	require.NoError(t, wire.FromStatus(nil))
}

func FuzzToWindow(f *testing.F) {
	seed, _ := proto.Marshal(wire.FromWindow(window()))
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		m := new(benchdv1.Window)
		if proto.Unmarshal(data, m) != nil {
			return
		}
		w, err := wire.ToWindow(m)
		if err != nil {
			return
		}
		again, err := wire.ToWindow(wire.FromWindow(w))
		require.NoError(t, err)
		require.Equal(t, w.ID, again.ID)
	})
}
