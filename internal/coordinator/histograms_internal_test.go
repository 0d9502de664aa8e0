package coordinator

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results"
	"github.com/benchd/benchd/internal/results/resultstest"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/internal/wire"
)

// The logs of a run are the encodings of its histograms, computed or kept, of a short run as of a long one.
func TestLogsAreTheHistograms(t *testing.T) {
	c := closedCoordinator(t)
	c.results = results.New(results.Config{
		Archive: c.archive, Reader: all.Targets().Reader(), Version: "test", Clock: c.clock, Quarantine: c.quarantine, Logger: c.log, Sealed: sealedIn(c.config.DataDir),
	})
	for id, windows := range map[string]int{"SHORT": 30, "LONG": 1010} {
		resultstest.Ended(t, c.archive, id, windows, time.Hour, result.Complete)
		var want []latency.LoggedInterval
		var encode latency.LogEncoder
		receive := func(req *benchdv1.HistogramsRequest, take func(*benchdv1.HistogramsResponse)) {
			require.NoError(t, c.histograms(t.Context(), req, func(m *benchdv1.HistogramsResponse) error {
				sent, err := proto.Marshal(m)
				require.NoError(t, err)
				require.LessOrEqual(t, len(sent), wire.MaxMessage)
				received := new(benchdv1.HistogramsResponse)
				require.NoError(t, proto.Unmarshal(sent, received))
				take(received)
				return nil
			}))
		}
		receive(&benchdv1.HistogramsRequest{Id: id}, func(m *benchdv1.HistogramsResponse) {
			iv := latency.LoggedInterval{Phase: m.GetPhase(), PhaseStart: m.GetPhaseStart().AsTime(), Start: time.Duration(m.GetStartNs()), End: time.Duration(m.GetEndNs())}
			for _, s := range m.GetSeries() {
				series, err := wire.ToSeries(s)
				require.NoError(t, err)
				logged, err := encode.Series(series)
				require.NoError(t, err)
				iv.Series = append(iv.Series, logged)
			}
			want = append(want, iv)
		})
		require.Len(t, want, windows)
		for _, name := range []string{"computed", "again"} {
			var got []latency.LoggedInterval
			receive(&benchdv1.HistogramsRequest{Id: id, Logged: true}, func(m *benchdv1.HistogramsResponse) {
				require.Empty(t, m.GetSeries())
				for _, logged := range m.GetLogged() {
					iv, err := wire.ToLogged(logged)
					require.NoError(t, err)
					got = append(got, iv)
				}
			})
			require.Equal(t, want, got, "%s %s", id, name)
		}
	}
	kept, err := os.ReadDir(sealedIn(c.config.DataDir))
	require.NoError(t, err)
	require.Len(t, kept, 1)
	require.Equal(t, "LONG.1.logs", kept[0].Name())
	left, err := filepath.Glob(filepath.Join(c.config.DataDir, "transfer*"))
	require.NoError(t, err)
	require.Empty(t, left)

	c.transfers.Store(maxTransfers)
	err = c.histograms(t.Context(), &benchdv1.HistogramsRequest{Id: "LONG", Logged: true}, nil)
	require.ErrorIs(t, err, wire.ErrLimit, "kept logs are transfers too")
	require.EqualValues(t, maxTransfers, c.transfers.Load())
}
