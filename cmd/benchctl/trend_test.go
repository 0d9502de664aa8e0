package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/results/resultstest"
	"github.com/benchd/benchd/internal/trend"
)

// nightlyArchive makes an archive of 60 nights with noise of 3 %, and a loss of 7 % from night 41 on.
func nightlyArchive(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(31, 1))
	for i := range 60 {
		throughput := 1000 * (1 + 0.03*random.NormFloat64())
		if i >= 40 {
			throughput *= 0.93
		}
		created := time.Date(2026, 1, 1, 2, 0, 0, 0, time.UTC).AddDate(0, 0, i)
		resultstest.Nightly(t, store, created.Format("20060102-")+"aaaa", "nightly", created, int(throughput))
	}
	resultstest.Nightly(t, store, "20260401-bbbb", "another", time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), 500)
	require.NoError(t, store.Close(t.Context()))
	return dir
}

// Trend finds the night of a change in an archive, and what it prints agrees as a table and as JSON.
func TestTrendFindsTheNightOfAChange(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	h, err := openTestCluster(t.Context(), 0, nightlyArchive(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.cluster.Close()) })
	benchctl := func(args ...string) (string, error) {
		var out, errOut bytes.Buffer
		err := run(append(args, "--coordinator", h.address), cli.Streams{Out: &out, Err: &errOut})
		return out.String(), err
	}

	text, err := benchctl("trend", "nightly", "--figures", "throughput_ops", "-o", "json")
	require.NoError(t, err)
	require.NoError(t, requireDocumented("benchctl trend", text))
	var got trend.Trend
	require.NoError(t, json.Unmarshal([]byte(text), &got))
	require.Len(t, got.Suites, 60)
	require.Len(t, got.Cases, 1)
	require.Len(t, got.Cases[0].Figures, 1)
	changes := got.Cases[0].Figures[0].Changes
	require.Len(t, changes, 1)
	require.Equal(t, compare.Worse, changes[0].Verdict)
	require.InDelta(t, 0.93, changes[0].Ratio, 0.02)
	require.Less(t, *changes[0].Low, 0.93)
	require.Greater(t, *changes[0].High, 0.93)
	found := 0
	for i, s := range got.Suites {
		if s.ID == changes[0].Found {
			found = i
		}
	}
	require.GreaterOrEqual(t, found, 40)
	require.Less(t, found, 45)

	table, err := benchctl("trend", "nightly", "--figures", "throughput_ops")
	require.NoError(t, err)
	require.Contains(t, table, "throughput worse: "+compare.Percent(changes[0].Ratio))
	require.Contains(t, table, "from suite "+changes[0].Suite)
	require.Contains(t, table, "one false alarm in 200 values")
	require.Contains(t, table, "20260301-aaaa")
	require.NotContains(t, table, "bbbb")

	_, err = benchctl("trend", "nightl")
	require.ErrorContains(t, err, `no ended suite nightl (did you mean "nightly"?)`)
	_, err = benchctl("trend", "nightly", "--figures", "throughput")
	require.ErrorContains(t, err, `unknown figure "throughput"`)
	_, err = benchctl("trend", "nightly", "--case", "none")
	require.ErrorContains(t, err, `no suite of nightly has a complete run of a case "none"`)
	_, err = benchctl("trend")
	require.ErrorContains(t, err, "want the NAME of the suites, or --tag KEY=VALUE")
	_, err = benchctl("trend", "nightly", "--fail-on-worse")
	require.NoError(t, err, "the newest suite reveals no change")

	for i := found; ; i-- { // as that night saw it
		require.Positive(t, i)
		if got.Suites[len(got.Suites)-1].ID == changes[0].Found {
			break
		}
		newest := got.Suites[len(got.Suites)-1].ID
		_, err := benchctl("rm", newest)
		require.NoError(t, err)
		got.Suites = got.Suites[:len(got.Suites)-1]
	}
	_, err = benchctl("trend", "nightly", "--figures", "throughput_ops", "--fail-on-worse")
	require.EqualValues(t, cli.Violated, cli.Exit(new(bytes.Buffer), "benchctl", err), fmt.Sprint(err))
}
