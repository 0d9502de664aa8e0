package report_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

// targets are the targets of the reported runs.
func targets() descriptor.List { return descriptor.List{hbasespec.Target(), hbasespec.Sandbox()} }

var update = flag.Bool("update", false, "rewrite the files in testdata")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if string(want) == got {
		return
	}
	old, now := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range min(len(old), len(now)) {
		require.Equal(t, old[i], now[i], "line %d of %s; run the test with -update if that is meant", i+1, path)
	}
	require.Len(t, now, len(old), "lines of %s; run the test with -update if that is meant", path)
}

// samples is a series of n operations that took us microseconds and more, up to twice that; service times are
// half of the response times.
func samples(op, outcome, partOf string, n, us int) latency.Series {
	s := latency.Series{
		Key:      latency.Key{Op: op, Outcome: outcome, PartOf: partOf},
		Response: new(latency.Histogram), Service: new(latency.Histogram),
	}
	for i := range n {
		ns := int64(us)*1000 + int64(us)*1000*int64(i)/int64(n)
		s.Response.Record(ns)
		s.Service.Record(ns / 2)
	}
	return s
}

// script describes each window of a phase of a run with three agents.
type script struct {
	phase    string
	loop     string
	windows  int
	planned  time.Duration
	intended func(time.Duration) float64
	series   func(shard, window int) []latency.Series
	health   func(shard, window int, h *latency.Health)
	tail     bool
}

var planned = time.Date(2026, 11, 21, 12, 0, 0, 250_000_000, time.UTC)

// build makes a result from scripts.
func build(t *testing.T, header result.Run, y report.YCSB, scripts ...script) result.Run {
	t.Helper()
	cfg := result.BuilderConfig{
		Run: "S.1", Interval: time.Second, NotFoundShare: 0.001,
		Percentiles: y.Kept(), Combine: y.Combine,
	}
	names := []string{"a", "b", "c"}
	for i, name := range names {
		cfg.Shards = append(cfg.Shards, result.ShardInfo{Index: i, Attempt: 1, Agent: name, Host: "host-" + name, Workers: 16})
		header.Provenance.Agents = append(header.Provenance.Agents, result.Agent{Name: name, Shard: i, Attempt: 1, Workers: 16})
	}
	notes := result.Notes{Events: make(map[string][]result.Event)}
	for _, s := range scripts {
		cfg.Phases = append(cfg.Phases, result.PhaseInfo{Name: s.phase, Loop: s.loop, Planned: s.planned, Intended: s.intended})
		notes.Events[s.phase] = []result.Event{{T: 1.25, Kind: "action", Text: "flush usertable"}}
	}
	b := result.NewBuilder(cfg)
	for _, s := range scripts {
		for shard := range names {
			s.play(t, b, shard)
		}
	}
	header.ID, header.Name, header.Case = "S.1", "demo", "workloada"
	if header.Status == "" {
		header.Status = result.Complete
	}
	header.Resolved = map[string]string{"db": "null"}
	header.Provenance.Benchd, header.Provenance.Seed, header.Provenance.Created = "1.0.0", 42, planned
	header.Start = result.NewStart(planned, []result.FirstSend{
		{Name: "a", At: planned.Add(100 * time.Microsecond), Uncertainty: 20 * time.Microsecond},
		{Name: "b", At: planned.Add(410 * time.Microsecond), Uncertainty: 30 * time.Microsecond},
		{Name: "c", At: planned.Add(200 * time.Microsecond), Uncertainty: 30 * time.Microsecond},
	})
	run, err := b.Document(header, notes)
	require.NoError(t, err)
	return run
}

func (s script) play(t *testing.T, b *result.Builder, shard int) {
	t.Helper()
	var done uint64
	add := func(w *latency.Window) {
		done += latency.Ops(w.Series)
		w.ID.Run, w.ID.Phase, w.ID.Shard, w.ID.Attempt = "S.1", s.phase, shard, 1
		w.Issued, w.Recorded = done, done
		w.Rows, w.Bytes = latency.Ops(w.Series), 1000*latency.Ops(w.Series)
		_, err := b.Add(w)
		require.NoError(t, err)
	}
	for i := range s.windows {
		w := &latency.Window{
			Start: time.Duration(i) * time.Second, End: time.Duration(i+1) * time.Second,
			Last: i == s.windows-1 && !s.tail,
			Health: latency.Health{
				Cores: 4, HostIdle: 0.6, OwnCPU: 0.5, GCPauses: 2,
				GCPauseTotal: 400 * time.Microsecond, GCPauseMax: 300 * time.Microsecond,
				SchedLagP99: 90 * time.Microsecond,
			},
		}
		w.ID.Seq = i
		w.Series = s.series(shard, i)
		if s.health != nil {
			s.health(shard, i, &w.Health)
		}
		add(w)
	}
	if s.tail {
		w := &latency.Window{
			Start: time.Duration(s.windows) * time.Second, End: time.Duration(s.windows)*time.Second + 5*time.Millisecond,
			Tail: true, Last: true, Series: []latency.Series{samples("READ", "OK", "", 2, 4000)},
		}
		w.ID.Seq = s.windows
		add(w)
	}
}

// mixed is a closed loop with reads, failures and READ-MODIFY-WRITEs that operations end.
func mixed() script {
	return script{
		phase: "measure", loop: "closed", windows: 4,
		series: func(_, window int) []latency.Series {
			out := []latency.Series{
				samples("READ", "OK", "", 2000, 800),
				samples("READ-MODIFY-WRITE", "OK", "", 500, 2100),
				samples("READ", "OK", "READ-MODIFY-WRITE", 500, 900),
				samples("UPDATE", "OK", "READ-MODIFY-WRITE", 500, 1200),
			}
			if window == 1 {
				out = append(out, samples("READ", "NOT_FOUND", "", 1, 300), samples("READ", "TIMEOUT", "", 2, 5_000_000))
			}
			if window == 3 {
				out = append(out, samples("CLEANUP", "OK", "CLEANUP", 16, 12))
			}
			return out
		},
	}
}

// load inserts in a closed loop.
func load() script {
	return script{
		phase: "load", loop: "closed", windows: 2,
		series: func(int, int) []latency.Series { return []latency.Series{samples("INSERT", "OK", "", 1000, 400)} },
	}
}

// offered is an open loop with a tail.
func offered(rate float64, perWindow int) script {
	return script{
		phase: "measure", loop: "open", windows: 5, planned: 5 * time.Second, tail: true,
		intended: func(d time.Duration) float64 { return rate * d.Seconds() },
		series: func(int, int) []latency.Series {
			return []latency.Series{samples("READ", "OK", "", perWindow, 1000), samples("UPDATE", "OK", "", perWindow, 1500)}
		},
	}
}

func ycsb(t *testing.T, properties map[string]string) report.YCSB {
	t.Helper()
	y, err := report.ParseYCSB(properties)
	require.NoError(t, err)
	return y
}

func printed(t *testing.T, run result.Run, o report.Options) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, report.Table(&out, run, o))
	return out.String()
}
