package wire_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
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
		Health:   latency.Health{Cores: 2, HostIdle: 0.5, OwnCPU: 1.5, NetRx: 1, NetUse: 0.25, GCPauses: 3, SchedLagP99: time.Millisecond, Backlog: 9},
		Samples:  []latency.ErrorSample{{Op: "READ", Outcome: "ERROR", Message: "no"}},
		Lateness: &service, Watermark: 1_000_001,
		Retries: map[string]uint64{"NotServingRegionException": 3, "connection": 1},
		Groups:  []latency.GroupCount{{Name: "reads", Issued: 3, Recorded: 2, Rows: 4, Bytes: 5, LateSends: 6, Backlog: 7}, {Name: "scans"}},
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
	require.Equal(t, want.Lateness.Sum(), got.Lateness.Sum())
	want.Series, got.Series = nil, nil
	want.Lateness, got.Lateness = nil, nil
	require.Equal(t, want, got)
}

func TestAMalformedWindowIsRefused(t *testing.T) {
	tests := map[string]func(*benchdv1.Window){
		"no identity":             func(w *benchdv1.Window) { w.Id = nil },
		"ends before it starts":   func(w *benchdv1.Window) { w.EndNs = -1 },
		"series without a name":   func(w *benchdv1.Window) { w.Series[0].Op = "" },
		"a series twice":          func(w *benchdv1.Window) { w.Series[1] = w.Series[0] },
		"histogram of rubbish":    func(w *benchdv1.Window) { w.Series[0].Response = []byte("rubbish") },
		"times that do not pair":  func(w *benchdv1.Window) { w.Series[0].Service = histogram(3) },
		"starts before its phase": func(w *benchdv1.Window) { w.StartNs = -1 },
		"ends after all days":     func(w *benchdv1.Window) { w.EndNs = math.MaxInt64 },
		"counts that overflow":    func(w *benchdv1.Window) { w.Issued = math.MaxUint64 },
		"a number without end":    func(w *benchdv1.Window) { w.Seq = math.MaxUint32 },
		"a watermark below 0":     func(w *benchdv1.Window) { w.Watermark = -1 },
		"lateness of rubbish":     func(w *benchdv1.Window) { w.Lateness = []byte("rubbish") },
		"retries beyond count":    func(w *benchdv1.Window) { w.Retries["connection"] = math.MaxUint64 },
		"too many series":         func(w *benchdv1.Window) { w.Series = make([]*benchdv1.Series, 10_000) },
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

func TestNumbersThatJSONLacksAreReplaced(t *testing.T) {
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
		Phases: []plan.Phase{{Name: plan.Warmup, Loop: plan.Open, Duration: time.Second, Until: plan.Steady}, {Name: plan.Measure, Loop: plan.Open, Ops: 5, Joined: true}},
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
		wire.ErrUnreachable, wire.ErrFull, wire.ErrLimit, wire.ErrMalformed,
	} {
		err := wire.FromStatus(wire.ToStatus(wire.Errorf(kind, "table %q", "t")))
		require.ErrorIs(t, err, kind)
		require.Equal(t, `table "t"`, err.Error())
	}
	require.NotErrorIs(t, wire.FromStatus(wire.ToStatus(wire.Errorf(wire.ErrTooFewAgents, "1 agent"))), wire.ErrLimit)
	require.EqualError(t, wire.FromStatus(wire.ToStatus(errors.New("boom"))), "boom")
	require.NoError(t, wire.ToStatus(nil))
	require.NoError(t, wire.FromStatus(nil))
}

func TestAnAnswerInPlainHTTPIsNoRefusal(t *testing.T) {
	s := status.Error(codes.PermissionDenied, "unexpected HTTP status code received from server: 403 (Forbidden); transport: received "+
		"unexpected content-type \"text/plain\"\ndata: \"anna may not read the path\"")
	err := wire.FromStatus(s)
	require.ErrorIs(t, err, wire.ErrUnreachable)
	require.NotErrorIs(t, err, wire.ErrNotAllowed)
	require.EqualError(t, err, "it answers HTTP 403 (Forbidden), not gRPC: give --coordinator the address of gRPC "+
		"(--listen of `benchd coordinator`, port 7070 by default)")
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

func TestTextsAreTruncatedToValidUTF8(t *testing.T) {
	for name, text := range map[string]string{
		"a letter across the bound": strings.Repeat("x", 4<<10-1) + "数据",
		"not UTF-8":                 "caf\xe9",
		"very long and not UTF-8":   strings.Repeat("\xff\xfe", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			w := window()
			w.Samples[0].Message = text
			m := wire.FromWindow(w)
			_, err := proto.Marshal(m)
			require.NoError(t, err, "the window could never be sent")
			require.LessOrEqual(t, len(m.GetSamples()[0].GetMessage()), 5<<10)
		})
	}
}

// shortHello is a valid Hello.
func shortHello() *benchdv1.Hello {
	return &benchdv1.Hello{
		Name: "a", BootId: "b", Labels: map[string]string{"k": "v"}, Version: "v1", MetricsAddress: "127.0.0.1:9",
		Host: &benchdv1.HostFacts{Hostname: "h", CpuModel: "c"},
		Held: []*benchdv1.HeldShard{{Id: wire.FromShard("S.1", 0, 1), Ended: []*benchdv1.PhaseEnded{{Phase: "load"}}}},
	}
}

func TestAHelloIsBounded(t *testing.T) {
	require.NoError(t, wire.CheckHello(shortHello()))
	long := strings.Repeat("x", 1<<20)
	for name, bend := range map[string]func(*benchdv1.Hello){
		"name":            func(h *benchdv1.Hello) { h.Name = long },
		"boot id":         func(h *benchdv1.Hello) { h.BootId = long },
		"version":         func(h *benchdv1.Hello) { h.Version = long },
		"metrics address": func(h *benchdv1.Hello) { h.MetricsAddress = long },
		"host":            func(h *benchdv1.Hello) { h.Host.CpuModel = long },
		"label":           func(h *benchdv1.Hello) { h.Labels["k"] = long },
		"hook":            func(h *benchdv1.Hello) { h.Hooks = []string{long} },
		"hooks":           func(h *benchdv1.Hello) { h.Hooks = make([]string, 1000) },
		"shards":          func(h *benchdv1.Hello) { h.Held = make([]*benchdv1.HeldShard, 1000) },
		"ends":            func(h *benchdv1.Hello) { h.Held[0].Ended = make([]*benchdv1.PhaseEnded, 1000) },
		"starts":          func(h *benchdv1.Hello) { h.Held[0].Started = make([]*benchdv1.Started, 1000) },
	} {
		t.Run(name, func(t *testing.T) {
			h := shortHello()
			bend(h)
			err := wire.CheckHello(h)
			require.Error(t, err)
			require.Less(t, len(err.Error()), 10<<10)
		})
	}
}

func TestAnOrderToPrepareIsValidated(t *testing.T) {
	order := func() *benchdv1.Prepare {
		return wire.FromPlan(plan.Shard{Run: "S.1", Count: 1, Attempt: 1, Workers: 1, Phases: []plan.Phase{{Name: plan.Measure, Ops: 1}}}, false)
	}
	_, err := wire.ToPlan(order(), "a")
	require.NoError(t, err)
	for name, bend := range map[string]func(*benchdv1.Prepare){
		"no identity":              func(m *benchdv1.Prepare) { m.Id = nil },
		"a shard beyond the last":  func(m *benchdv1.Prepare) { m.Id.Shard = 1 },
		"workers beyond counting":  func(m *benchdv1.Prepare) { m.Workers = math.MaxUint32 },
		"a phase of negative time": func(m *benchdv1.Prepare) { m.Phases[0].DurationNs = -1 },
		"a phase of negative ops":  func(m *benchdv1.Prepare) { m.Phases[0].Ops = -1 },
		"a phase without a name":   func(m *benchdv1.Prepare) { m.Phases[0].Name = "" },
		"a first phase that joins": func(m *benchdv1.Prepare) { m.Phases[0].Joined = true },
		"no phase":                 func(m *benchdv1.Prepare) { m.Phases = nil },
	} {
		t.Run(name, func(t *testing.T) {
			m := order()
			bend(m)
			_, err := wire.ToPlan(m, "a")
			require.ErrorIs(t, err, wire.ErrMalformed)
		})
	}
}

func TestTheRateOfALineIsBounded(t *testing.T) {
	for _, rate := range []float64{math.NaN(), math.Inf(1), -1e9, 1e12} {
		l := wire.ToLine(&benchdv1.Timebase{RatePpb: rate})
		require.LessOrEqual(t, math.Abs(l.Rate), 0.01)
	}
}

func FuzzToPlan(f *testing.F) {
	seed, _ := proto.Marshal(wire.FromPlan(plan.Shard{
		Run: "S.1", Count: 2, Attempt: 1, Workers: 3, Properties: map[string]string{"a": "b"},
		Phases: []plan.Phase{{Name: plan.Warmup, Duration: 5}, {Name: plan.Measure, Joined: true, Ops: 9}},
	}, true))
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		m := new(benchdv1.Prepare)
		if proto.Unmarshal(data, m) != nil {
			return
		}
		want, err := wire.ToPlan(m, "a")
		if err != nil {
			return
		}
		require.True(t, want.Index >= 0 && want.Index < want.Count && want.Workers > 0)
		got, err := wire.ToPlan(wire.FromPlan(want, false), "a")
		require.NoError(t, err)
		require.Equal(t, want.Phases, got.Phases)
	})
}

func FuzzHello(f *testing.F) {
	seed, _ := proto.Marshal(shortHello())
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		h := new(benchdv1.Hello)
		if proto.Unmarshal(data, h) != nil {
			return
		}
		if err := wire.CheckHello(h); err != nil {
			require.Less(t, len(err.Error()), 10<<10)
			return
		}
		require.NotContains(t, h.GetName(), "\n")
		for _, held := range h.GetHeld() {
			wire.ToLine(held.GetTimebase())
		}
	})
}
