package wire

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
)

// A peer receives the intervals of encodings that nobody has decoded meanwhile.
func TestLoggedIntervalsSurviveTheWire(t *testing.T) {
	response := &latency.Logged{Encoded: []byte("abc"), Highest: 7, Overflow: 2, Max: int64(2 * time.Hour)}
	service := &latency.Logged{Encoded: []byte("de"), Highest: 5}
	interval := func(second int) latency.LoggedInterval {
		return latency.LoggedInterval{
			Phase: "measure", PhaseStart: time.Unix(9, 0).UTC(), Start: time.Duration(second) * time.Second, End: time.Duration(second+1) * time.Second,
			Series: []latency.LoggedSeries{
				{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: response, Service: service},
				{Key: latency.Key{Op: "READ", Outcome: "TIMEOUT", PartOf: "READ-MODIFY-WRITE"}, Response: service, Service: service},
			},
		}
	}
	want := []latency.LoggedInterval{interval(0), interval(1), {Phase: "measure", PhaseStart: time.Unix(9, 0).UTC()}}
	var encoding []byte
	for _, iv := range want {
		var err error
		encoding, err = AppendLogged(encoding, iv)
		require.NoError(t, err)
	}
	sent, err := proto.Marshal(LoggedResponse(encoding))
	require.NoError(t, err)
	received := new(benchdv1.HistogramsResponse)
	require.NoError(t, proto.Unmarshal(sent, received))
	require.NoError(t, Check(received))
	var got []latency.LoggedInterval
	for _, m := range received.GetLogged() {
		iv, err := ToLogged(m)
		require.NoError(t, err)
		for _, s := range iv.Series {
			require.Equal(t, s.Key.PartOf != "", s.Service == s.Response, "the same times are one histogram")
		}
		got = append(got, iv)
	}
	require.Equal(t, want, got)
}

func TestMalformedLoggedIntervalsAreRefused(t *testing.T) {
	some := &benchdv1.LoggedHistogram{Encoded: []byte{1}}
	for name, series := range map[string]*benchdv1.LoggedSeries{
		"no operation":         {Outcome: "OK", Response: some},
		"no response times":    {Op: "READ", Outcome: "OK", Service: some},
		"empty response times": {Op: "READ", Outcome: "OK", Response: new(benchdv1.LoggedHistogram)},
		"empty service times":  {Op: "READ", Outcome: "OK", Response: some, Service: new(benchdv1.LoggedHistogram)},
	} {
		_, err := ToLogged(&benchdv1.LoggedInterval{Series: []*benchdv1.LoggedSeries{series}})
		require.ErrorIs(t, err, errMalformed, name)
	}
}
