package remote

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/wire"
)

// Histograms answers as a coordinator that has logs, or as an older one.
func (f *fake) Histograms(r *benchdv1.HistogramsRequest, s grpc.ServerStreamingServer[benchdv1.HistogramsResponse]) error {
	f.asked = append(f.asked, r)
	for _, m := range f.histograms {
		if err := s.Send(m); err != nil {
			return err
		}
	}
	return f.err
}

// Logs are the same, also from a coordinator that does not know the request for encoded histograms.
func TestLogsOfAnOlderCoordinatorAreEncodedHere(t *testing.T) {
	h := new(latency.Histogram)
	h.Record(12_345)
	series := latency.Series{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: h, Service: h}
	logged, err := new(latency.LogEncoder).Series(series)
	require.NoError(t, err)
	var encoding []byte
	var old []*benchdv1.HistogramsResponse
	var want []latency.LoggedInterval
	for second := range 3 {
		iv := latency.LoggedInterval{
			Phase: "measure", PhaseStart: time.Unix(9, 0).UTC(), Start: time.Duration(second) * time.Second, End: time.Duration(second+1) * time.Second,
			Series: []latency.LoggedSeries{logged},
		}
		want = append(want, iv)
		encoding, err = wire.AppendLogged(encoding, iv)
		require.NoError(t, err)
		old = append(old, &benchdv1.HistogramsResponse{
			Phase: iv.Phase, PhaseStart: wire.FromTime(iv.PhaseStart), StartNs: int64(iv.Start), EndNs: int64(iv.End),
			Series: []*benchdv1.Series{wire.FromSeries(series)},
		})
	}
	for name, answers := range map[string][]*benchdv1.HistogramsResponse{"new": {wire.LoggedResponse(encoding)}, "old": old} {
		t.Run(name, func(t *testing.T) {
			f := &fake{histograms: answers}
			var got []latency.LoggedInterval
			require.NoError(t, connect(t, f).Logged(t.Context(), "S.1", func(iv latency.LoggedInterval) error {
				got = append(got, iv)
				return nil
			}))
			require.Equal(t, want, got)
			require.Len(t, f.asked, 1)
			require.True(t, f.asked[0].(*benchdv1.HistogramsRequest).GetLogged())
		})
	}
	malformed := &benchdv1.HistogramsResponse{Logged: []*benchdv1.LoggedInterval{{Series: []*benchdv1.LoggedSeries{{Op: "READ"}}}}}
	err = connect(t, &fake{histograms: []*benchdv1.HistogramsResponse{malformed}}).Logged(t.Context(), "S.1", func(latency.LoggedInterval) error { return nil })
	require.ErrorContains(t, err, "read histograms of S.1")
}
