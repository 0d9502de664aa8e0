package wire

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
)

// AppendLogged appends the encoding of a HistogramsResponse of one interval. Such encodings, one behind the other, are that of a
// response with all their intervals.
func AppendLogged(b []byte, iv latency.LoggedInterval) ([]byte, error) {
	m := &benchdv1.LoggedInterval{Phase: iv.Phase, PhaseStart: FromTime(iv.PhaseStart), StartNs: int64(iv.Start), EndNs: int64(iv.End)}
	for _, s := range iv.Series {
		series := &benchdv1.LoggedSeries{Op: s.Key.Op, Outcome: s.Key.Outcome, PartOf: s.Key.PartOf, Response: fromLogged(s.Response)}
		if s.Service != s.Response {
			series.Service = fromLogged(s.Service)
		}
		m.Series = append(m.Series, series)
	}
	return proto.MarshalOptions{}.MarshalAppend(b, &benchdv1.HistogramsResponse{Logged: []*benchdv1.LoggedInterval{m}})
}

func fromLogged(h *latency.Logged) *benchdv1.LoggedHistogram {
	return &benchdv1.LoggedHistogram{Encoded: h.Encoded, HighestNs: h.Highest, Overflow: h.Overflow, MaxNs: h.Max}
}

// LoggedResponse is the response with some encoding, without decoding it: for a peer there is no difference. It keeps a reference to
// the encoding.
func LoggedResponse(encoding []byte) *benchdv1.HistogramsResponse {
	m := new(benchdv1.HistogramsResponse)
	m.ProtoReflect().SetUnknown(encoding)
	return m
}

// ToLogged decodes an interval. It keeps references to the message's bytes.
func ToLogged(m *benchdv1.LoggedInterval) (latency.LoggedInterval, error) {
	iv := latency.LoggedInterval{Phase: m.GetPhase(), PhaseStart: m.GetPhaseStart().AsTime(), Start: time.Duration(m.GetStartNs()), End: time.Duration(m.GetEndNs())}
	for _, s := range m.GetSeries() {
		series := latency.LoggedSeries{Key: latency.Key{Op: s.GetOp(), Outcome: s.GetOutcome(), PartOf: s.GetPartOf()}, Response: toLogged(s.GetResponse())}
		if series.Service = series.Response; s.GetService() != nil {
			series.Service = toLogged(s.GetService())
		}
		if badKey(series.Key) || len(series.Response.Encoded) == 0 || len(series.Service.Encoded) == 0 {
			return iv, fmt.Errorf("series %q/%q: %w", series.Key.Op, series.Key.Outcome, errMalformed)
		}
		iv.Series = append(iv.Series, series)
	}
	return iv, nil
}

func toLogged(m *benchdv1.LoggedHistogram) *latency.Logged {
	return &latency.Logged{Encoded: m.GetEncoded(), Highest: m.GetHighestNs(), Overflow: m.GetOverflow(), Max: m.GetMaxNs()}
}
