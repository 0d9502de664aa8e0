package longrun

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/all"
)

// Hours is the length of the run for which reports have limits of size and time, in windows of a second.
const Hours = 2 * 3600

// The size of a run.
const (
	Agents  = 6
	Samples = 500 // of each operation in each window of an agent
	servers = 6
)

// ID is the id of the suite of Make.
const ID = "20260301-2hrs"

// Size is the size of a run.
type Size struct {
	ID, Name   string // of the suite
	Seconds    int    // windows of each agent
	Agents     int
	Operations int // kinds, at most those of Operations
	Samples    int // of each operation in each window of an agent
	Figures    int // of telemetry
}

// Hundred is a run of 100 hours: 360 000 windows of one agent with few operations, so that it is made in less than a minute.
func Hundred() Size {
	return Size{ID: "20260301-100h", Name: "hundred hours", Seconds: 100 * 3600, Agents: 1, Operations: 2, Samples: 30, Figures: 8}
}

// Fleet is a run of 1000 agents for two minutes, which are 120 000 windows.
func Fleet() Size {
	return Size{ID: "20260301-1000", Name: "thousand agents", Seconds: 120, Agents: 1000, Operations: 1, Samples: 700, Figures: 4}
}

// variants is how many windows of an agent differ.
const variants = 61

// Operations are the operations of the run.
func Operations() []string { return []string{"DELETE", "INSERT", "READ", "SCAN", "UPDATE"} }

// run is a run that is being made.
type run struct {
	Size

	record *record.Run
	// usual are windows of a target that is well, disturbed those during a dip.
	usual, disturbed [variants]sample
}

// sample is the data of a window.
type sample struct {
	series   []latency.Series
	lateness *latency.Histogram
	idle     float64
}

// Make stores the suite of a run of 6 agents, 5 operations and 40 figures in the archive in dir, and closes the archive.
func Make(t testing.TB, dir string, seconds int) {
	t.Helper()
	MakeSize(t, dir, Size{
		ID: ID, Name: "two hours", Seconds: seconds, Agents: Agents, Operations: len(Operations()), Samples: Samples, Figures: 6*servers + 4,
	})
}

// MakeSize stores the suite of a run in the archive in dir, which may have others, and closes the archive. A run that a coordinator would
// have rolled up meanwhile is rolled up.
func MakeSize(t testing.TB, dir string, size Size) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	r := begin(t, store, size)
	r.windows(t, store)
	r.observations(t, store)
	r.end(t, store)
	r.rollUp(t, store)
	require.NoError(t, store.Close(t.Context()))
}

// rollUp merges the windows of a long run, as a coordinator does.
func (r *run) rollUp(t testing.TB, store *sqlite.Archive) {
	t.Helper()
	step := result.PointLength(time.Second, time.Duration(r.Seconds)*time.Second)
	require.NoError(t, store.RollUp(t.Context(), archive.RollUp{
		Run: r.record.Archived.ID, Phase: string(plan.Measure), Step: step, Windows: int(step / time.Second), Before: r.Seconds + int(step/time.Second),
	}, func(ctx context.Context) error { return ctx.Err() }))
}

// begin stores the suite and its run.
func begin(t testing.TB, store *sqlite.Archive, size Size) *run {
	t.Helper()
	reader := all.Targets().Reader()
	settings := []spec.Setting{
		{Key: "db", Value: "hbase"},
		{Key: "columnfamily", Value: "family"},
		{Key: "recordcount", Value: "10000000"},
		{Key: "operationcount", Value: "0"},
		{Key: "readproportion", Value: "0.2"},
		{Key: "updateproportion", Value: "0.2"},
		{Key: "insertproportion", Value: "0.2"},
		{Key: "scanproportion", Value: "0.2"},
		{Key: "deleteproportion", Value: "0.2"},
		{Key: "threadcount", Value: "64"},
		{Key: "arrival", Value: "fixed"},
		{Key: "rate", Value: strconv.Itoa(size.Agents * size.Samples * size.Operations)},
		{Key: "duration", Value: fmt.Sprintf("%ds", size.Seconds)},
		{Key: "interval", Value: "1s"},
		{Key: "telemetry", Value: "true"},
		{Key: "actions", Value: fmt.Sprintf("%ds major_compact", size.Seconds/4)},
	}
	submitted := make(map[string]string)
	for _, s := range settings {
		submitted[s.Key] = s.Value
	}
	suite, _, err := reader.Parse(spec.Submission{Properties: settings})
	require.NoError(t, err)
	text, err := json.Marshal(submitted)
	require.NoError(t, err)
	began := time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)
	stored := archive.Suite{
		ID: size.ID, Name: size.Name, Note: "five operations at a fixed rate", Tags: map[string]string{"purpose": "limits of reports"},
		Status: result.Running, Created: began.Add(-time.Minute), SubmittedBy: "longrun", DB: "hbase", Spec: text,
	}
	records, err := record.NewRuns(size.ID, *suite, record.Ask{Agents: size.Agents, OnLoss: lifecycle.FailOnLoss})
	require.NoError(t, err)
	r := &run{Size: size}
	r.record, err = record.Open(reader, stored, records[0])
	require.NoError(t, err)
	state := &r.record.State
	state.Life.Status, state.Life.Phase = result.Running, 0
	state.Zero, state.Epoch, state.Noted = began, began.UnixNano(), began
	state.Begun = map[plan.PhaseName]time.Duration{plan.Measure: 0}
	state.Target = map[string]string{"hbase.version": "2.6.4", "hbase.servers": strconv.Itoa(servers), "hbase.table.regions": "60"}
	for i := range size.Agents {
		name := fmt.Sprintf("agent-%d", i+1)
		state.Life.Shards = append(state.Life.Shards, lifecycle.Shard{Agent: name, Attempt: 1, State: lifecycle.Busy})
		state.Agents = append(state.Agents, result.Agent{
			Name: name, Version: "1.0.0", Shard: i, Attempt: 1, Workers: 64, Hostname: name + ".example.com", OS: "linux", Cores: 16, Memory: 64 << 30,
		})
		state.Sends = append(state.Sends, result.FirstSend{Name: name, At: began.Add(time.Duration(i) * 40 * time.Microsecond), Uncertainty: 30 * time.Microsecond})
	}
	records[0], err = r.record.ToArchive()
	require.NoError(t, err)
	require.NoError(t, store.CreateSuite(t.Context(), stored, records))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range variants {
		r.usual[i], r.disturbed[i] = size.sample(t, rng, size.Samples, 1), size.sample(t, rng, size.Samples/3, 8)
	}
	return r
}

// sample makes the data of a window whose operations take slower times as long as usual.
func (size Size) sample(t testing.TB, rng *rand.Rand, samples int, slower float64) sample {
	t.Helper()
	s := sample{lateness: new(latency.Histogram), idle: 0.4 + 0.2*rng.Float64()}
	for i, op := range Operations()[:size.Operations] {
		response, service := new(latency.Histogram), new(latency.Histogram)
		for range samples {
			ns := int64(slower * 300_000 * float64(i+1) * math.Exp(0.5*rng.NormFloat64()))
			late := int64(slower * 50_000 * rng.ExpFloat64())
			service.Record(ns)
			response.Record(ns + late)
			s.lateness.Record(late)
		}
		s.series = append(s.series, latency.Series{Key: latency.Key{Op: op, Outcome: "OK"}, Response: received(t, response), Service: received(t, service)})
	}
	s.lateness = received(t, s.lateness)
	return s
}

// received is a histogram as received from an agent.
func received(t testing.TB, h *latency.Histogram) *latency.Histogram {
	t.Helper()
	b, err := h.AppendBinary(nil)
	require.NoError(t, err)
	h, err = latency.DecodeHistogram(b)
	require.NoError(t, err)
	return h
}

// The dips of the run: a compaction after a quarter of it, and the loss of a server after three fifths.
func (r *run) dip(second int) bool {
	compaction, loss := r.Seconds/4, 3*r.Seconds/5
	return second >= compaction && second < compaction+min(60, r.Seconds/20) || second >= loss && second < loss+min(45, r.Seconds/20)
}

// at returns the data of an agent's window.
func (r *run) at(agent, second int) sample {
	variant := (agent*7 + second*3 + second/variants) % variants
	if r.dip(second) {
		return r.disturbed[variant]
	}
	return r.usual[variant]
}

// windows stores the windows of all agents.
func (r *run) windows(t testing.TB, store *sqlite.Archive) {
	t.Helper()
	var batch []latency.Window
	done := make([]uint64, r.Agents)
	for second := range r.Seconds {
		for agent := range r.Agents {
			s := r.at(agent, second)
			ops := latency.Ops(s.series)
			done[agent] += ops
			batch = append(batch, latency.Window{
				ID:    latency.WindowID{Run: r.record.Archived.ID, Phase: string(plan.Measure), Shard: agent, Attempt: 1, Seq: second},
				Start: time.Duration(second) * time.Second, End: time.Duration(second+1) * time.Second, Last: second == r.Seconds-1,
				Series: s.series, Rows: ops, Bytes: 1000 * ops, Issued: done[agent], Recorded: done[agent],
				Health: latency.Health{
					Cores: 16, HostIdle: s.idle, OwnCPU: 16 * (1 - s.idle) / 2, NetRx: 2_500_123, NetTx: 300_456,
					GCPauses: 3, GCPauseTotal: 90_123, GCPauseMax: 40_012, SchedLagP99: 20_480, SchedLagMax: 80_123,
				},
				Lateness: s.lateness,
			})
		}
		if len(batch) < 6000 && second < r.Seconds-1 {
			continue
		}
		receipts, err := store.AddWindows(t.Context(), batch)
		require.NoError(t, err)
		for _, receipt := range receipts {
			require.NoError(t, receipt.Err)
		}
		batch = batch[:0]
	}
	for i := range r.record.State.Life.Shards {
		r.record.State.Life.Shards[i].State = lifecycle.Over
		r.record.State.Life.Shards[i].Ended = []lifecycle.Ended{{
			Phase: plan.Measure, At: time.Duration(r.Seconds) * time.Second, Windows: r.Seconds, Issued: done[i], Recorded: done[i], Merged: true, Final: true,
		}}
	}
}

// observations stores the telemetry.
func (r *run) observations(t testing.TB, store *sqlite.Archive) {
	t.Helper()
	figures := []struct {
		name, unit  string
		mean, swing float64
	}{
		{"requests", "1/s", 2500, 200},
		{"block_cache_hit_percent", "percent", 88, 4},
		{"store_files", "1", 60, 12},
		{"compaction_queue", "1", 2, 2},
		{"memstore_size", "bytes", 2e8, 1e8},
		{"gc_time", "ms/s", 12, 8},
	}
	var observed []result.Observed
	add := func(name, source, unit string, mean, swing float64) {
		if len(observed) == r.Figures {
			return
		}
		number := float64(len(observed))
		rng := rand.New(rand.NewPCG(3, uint64(number)))
		o := result.Observed{Name: name, Source: source, Unit: unit}
		for second := range r.Seconds {
			value := mean + swing*(0.6*math.Sin(float64(second)/(60+10*number))+0.4*(2*rng.Float64()-1))
			if r.dip(second) {
				value = mean / 2
			}
			if second >= result.WholeLooks && second%result.LooksOfAPoint > 0 {
				continue // as agents do
			}
			o.At = append(o.At, time.Duration(second)*time.Second+time.Duration(number)*time.Millisecond)
			o.Values = append(o.Values, math.Round(100*max(value, 0))/100)
		}
		observed = append(observed, o)
	}
	for server := range servers {
		for _, f := range figures {
			add("hbase.regionserver."+f.name, fmt.Sprintf("rs%d.example.com:16030", server+1), f.unit, f.mean, f.swing)
		}
	}
	add("hbase.master.servers", "master.example.com:16010", "1", servers, 0)
	add("hbase.master.regions", "master.example.com:16010", "1", 60, 0)
	add("host.cpu_percent", "agent-1", "percent", 45, 10)
	add(result.PollTime, "agent-1", "ms", 14, 6)
	for len(observed) > 0 && len(observed[0].At) > 0 { // a portion at a time, as they come
		portion := make([]result.Observed, len(observed))
		for i := range observed {
			o := &observed[i]
			n := min(len(o.At), 1000)
			portion[i] = result.Observed{Name: o.Name, Source: o.Source, Unit: o.Unit, At: o.At[:n], Values: o.Values[:n]}
			o.At, o.Values = o.At[n:], o.Values[n:]
		}
		require.NoError(t, store.AddObservations(t.Context(), r.record.Archived.ID, portion))
	}
}

// end stores the end of the run, and what happened during it.
func (r *run) end(t testing.TB, store *sqlite.Archive) {
	t.Helper()
	state, id := &r.record.State, r.record.Archived.ID
	state.Life.Status = result.Complete
	state.Timed = []record.TimedAction{{
		Phase: plan.Measure, Agent: "agent-1",
		Action: result.Action{Do: "major_compact", T: float64(r.Seconds / 4), Seconds: float64(min(60, r.Seconds/20)), Outcome: "done"},
	}}
	archived, err := r.record.ToArchive()
	require.NoError(t, err)
	archived.Ended = archived.Started.Add(time.Duration(r.Seconds) * time.Second)
	event := func(second int, kind, text string) archive.Event {
		offset := time.Duration(second) * time.Second
		return archive.Event{Run: id, At: archived.Started.Add(offset), Phase: string(plan.Measure), Offset: offset, Kind: kind, Text: text}
	}
	require.NoError(t, store.Apply(t.Context(), archive.Change{
		Runs: []archive.RunRecord{archived}, Suite: r.ID, Status: result.Complete,
		Events: []archive.Event{
			event(3*r.Seconds/5, result.HappenedServer, "region server rs3.example.com,16020 is gone: 5 servers"),
			event(3*r.Seconds/5+min(45, r.Seconds/20), result.HappenedServer, "region server rs3.example.com,16020 is back: 6 servers"),
		},
	}))
}
