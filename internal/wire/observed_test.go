package wire_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

func observations() result.Observations {
	return result.Observations{
		Figures: []result.Observed{
			{Name: "hbase.regionserver.requests", Source: "rs1:16020", Unit: "1/s", At: []time.Duration{time.Second, 2 * time.Second}, Values: []float64{1, 2.5}},
			{Name: "hbase.master.servers", Source: "m:16000", Unit: "1", At: []time.Duration{time.Second}, Values: []float64{3}},
		},
		Happenings: []result.Happening{{At: time.Second, Kind: result.HappenedSplit, Text: "a region was split"}},
		Warnings:   []string{"no JMX"},
	}
}

func TestObservationsSurviveTheWire(t *testing.T) {
	got, err := wire.ToObservations(wire.FromObservations(wire.FromShard("S.1", 0, 1), observations()))
	require.NoError(t, err)
	require.Equal(t, observations(), got)
}

func TestMalformedObservationsAreRefused(t *testing.T) {
	for name, bend := range map[string]func(*benchdv1.Observations){
		"of no shard":               func(m *benchdv1.Observations) { m.Id = nil },
		"a figure without a name":   func(m *benchdv1.Observations) { m.Figures[0].Name = "" },
		"a long name":               func(m *benchdv1.Observations) { m.Figures[0].Name = strings.Repeat("x", 1000) },
		"values without an instant": func(m *benchdv1.Observations) { m.Figures[0].AtRunNs = nil },
		"time that stands still":    func(m *benchdv1.Observations) { m.Figures[0].AtRunNs[1] = m.GetFigures()[0].GetAtRunNs()[0] },
		"before the run":            func(m *benchdv1.Observations) { m.Figures[0].AtRunNs[0] = -1 },
		"after all days":            func(m *benchdv1.Observations) { m.Figures[0].AtRunNs[1] = math.MaxInt64 },
		"no number":                 func(m *benchdv1.Observations) { m.Figures[0].Values[0] = math.NaN() },
		"endless":                   func(m *benchdv1.Observations) { m.Figures[0].Values[0] = math.Inf(1) },
		"too many figures":          func(m *benchdv1.Observations) { m.Figures = make([]*benchdv1.Observed, wire.MaxFigures+1) },
		"too many points": func(m *benchdv1.Observations) {
			m.Figures[0].AtRunNs, m.Figures[0].Values = make([]int64, wire.MaxPoints), make([]float64, wire.MaxPoints)
		},
		"of no known kind":     func(m *benchdv1.Observations) { m.Happenings[0].Kind = "limit" },
		"happens before":       func(m *benchdv1.Observations) { m.Happenings[0].AtRunNs = -1 },
		"too many happenings":  func(m *benchdv1.Observations) { m.Happenings = make([]*benchdv1.Happening, 10_000) },
		"warnings without end": func(m *benchdv1.Observations) { m.Warnings = make([]string, 10_000) },
	} {
		t.Run(name, func(t *testing.T) {
			m := wire.FromObservations(wire.FromShard("S.1", 0, 1), observations())
			bend(m)
			_, err := wire.ToObservations(m)
			require.Error(t, err)
		})
	}
}

func FuzzObservations(f *testing.F) {
	seed, err := proto.Marshal(wire.FromObservations(wire.FromShard("S.1", 0, 1), observations()))
	require.NoError(f, err)
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		var m benchdv1.Observations
		if proto.Unmarshal(data, &m) != nil {
			return
		}
		o, err := wire.ToObservations(&m)
		if err != nil {
			return
		}
		for _, figure := range o.Figures {
			require.Len(t, figure.Values, len(figure.At))
		}
		again, err := wire.ToObservations(wire.FromObservations(m.GetId(), o))
		require.NoError(t, err)
		require.Len(t, again.Figures, len(o.Figures))
	})
}
