package archivetest

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// SuiteOf returns a suite with all fields set.
func SuiteOf(id string) archive.Suite {
	return archive.Suite{
		ID: id, Name: "name of " + id, Note: "a note", Tags: map[string]string{"rack": "7"}, Status: result.Queued,
		Created: time.Date(2026, 11, 21, 8, 0, 0, 123456789, time.UTC), SubmittedBy: "ann@desk", DB: "null",
		Spec: json.RawMessage(`{"recordcount":"1000"}`), Plan: json.RawMessage(`{"order":"abba"}`),
	}
}

// RunOf returns a run of a suite.
func RunOf(suite, number string) archive.RunRecord {
	return archive.RunRecord{
		ID: suite + "." + number, Suite: suite, Case: "workloada", Repeat: 1, Status: result.Queued,
		Properties: map[string]string{"threads": "8", "recordcount": "12"},
	}
}

// Create stores a suite with one run and returns the run's id.
func Create(tb testing.TB, a Archive, suite string) string {
	tb.Helper()
	run := RunOf(suite, "1")
	require.NoError(tb, a.CreateSuite(tb.Context(), SuiteOf(suite), []archive.RunRecord{run}))
	return run.ID
}

// HistogramOf draws samples around a latency of one millisecond; the histogram is decoded, like those from agents.
func HistogramOf(samples int, seed uint64) *latency.Histogram {
	random := rand.New(rand.NewPCG(seed, 1))
	h := new(latency.Histogram)
	for range samples {
		h.Record(int64(1e6 * (0.5 + random.ExpFloat64())))
	}
	b, err := h.AppendBinary(nil)
	if err == nil {
		h, err = latency.DecodeHistogram(b)
	}
	if err != nil {
		panic(err)
	}
	return h
}

// WindowOf returns a window of 5 series: two of a closed loop, whose service times are the response times, two parts of a
// larger operation with service times of their own, and one failed.
func WindowOf(id latency.WindowID, samples int) latency.Window {
	seed := uint64(id.Seq*100 + id.Shard*10 + id.Attempt)
	closed := func(op, outcome string, n int) latency.Series {
		seed++
		h := HistogramOf(n, seed)
		return latency.Series{Key: latency.Key{Op: op, Outcome: outcome}, Response: h, Service: h.Clone()}
	}
	part := func(op string) latency.Series {
		seed += 2
		return latency.Series{
			Key:      latency.Key{Op: op, Outcome: "OK", PartOf: "READ-MODIFY-WRITE"},
			Response: HistogramOf(samples, seed), Service: HistogramOf(samples, seed+1),
		}
	}
	return latency.Window{
		ID: id, Start: time.Duration(id.Seq) * time.Second, End: time.Duration(id.Seq+1) * time.Second,
		Series: []latency.Series{
			closed("READ", "OK", samples), closed("READ", "TIMEOUT", 3), part("READ"), closed("READ-MODIFY-WRITE", "OK", samples), part("UPDATE"),
		},
		Rows: 1000, Bytes: 1 << 20, Issued: uint64(id.Seq+1) * 1003, Recorded: uint64(id.Seq+1) * 1003,
		Health: latency.Health{
			Cores: 8, HostIdle: 0.75, OwnCPU: 1.5, NetRx: 11, NetTx: 12, NetUse: 0.25, GCPauses: 13, GCPauseTotal: 14, GCPauseMax: 15,
			SchedLagP99: 16, SchedLagMax: 17, LateSends: 18, LateMax: 19, Backlog: 20,
		},
		Lateness: HistogramOf(samples, seed+1000), Watermark: 1_000_021, Retries: map[string]uint64{"NotServingRegionException": 2},
		Groups:  []latency.GroupCount{{Name: "reads", Issued: 3, Recorded: 2, Rows: 4, Bytes: 5, LateSends: 6, Backlog: 7}, {Name: "scans"}},
		Samples: []latency.ErrorSample{{Op: "READ", Outcome: "TIMEOUT", Message: "no answer within 1s"}},
	}
}

// Add stores windows, which must all be accepted, and returns which were fresh.
func Add(tb testing.TB, a Archive, windows ...latency.Window) []bool {
	tb.Helper()
	receipts, err := a.AddWindows(tb.Context(), windows)
	require.NoError(tb, err)
	require.Len(tb, receipts, len(windows))
	fresh := make([]bool, len(receipts))
	for i, r := range receipts {
		require.NoError(tb, r.Err)
		fresh[i] = r.Fresh
	}
	return fresh
}

// WindowsIn reads all windows of a run.
func WindowsIn(tb testing.TB, a Archive, run string) []latency.Window {
	tb.Helper()
	var list []latency.Window
	for w, err := range a.Windows(tb.Context(), run) {
		require.NoError(tb, err)
		list = append(list, *w)
	}
	return list
}

// IDsOf are the identities of windows.
func IDsOf(windows []latency.Window) []latency.WindowID {
	ids := make([]latency.WindowID, len(windows))
	for i := range windows {
		ids[i] = windows[i].ID
	}
	return ids
}

// RequireSameWindow compares the contents of windows: histograms by their unique encoding.
func RequireSameWindow(tb testing.TB, want, got latency.Window) {
	tb.Helper()
	require.Len(tb, got.Series, len(want.Series))
	for i := range want.Series {
		require.Equal(tb, want.Series[i].Key, got.Series[i].Key)
		require.Equal(tb, Encoded(tb, want.Series[i].Response), Encoded(tb, got.Series[i].Response))
		require.Equal(tb, Encoded(tb, want.Series[i].Service), Encoded(tb, got.Series[i].Service))
	}
	require.Equal(tb, want.Lateness == nil, got.Lateness == nil)
	if want.Lateness != nil {
		require.Equal(tb, Encoded(tb, want.Lateness), Encoded(tb, got.Lateness))
	}
	want.Series, got.Series = nil, nil
	want.Lateness, got.Lateness = nil, nil
	require.Equal(tb, want, got)
}

// Encoded is the unique encoding of a histogram.
func Encoded(tb testing.TB, h *latency.Histogram) []byte {
	tb.Helper()
	b, err := h.AppendBinary(nil)
	require.NoError(tb, err)
	return b
}
