package latency_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
)

// segment is what is read of one.
type segment struct {
	phase  string
	keys   []latency.Key
	points []latency.Point
	lost   uint64
	ended  bool
}

func readPoints(b []byte) (all []segment, err error) {
	err = latency.ReadPoints(bytes.NewReader(b), latency.PointsReader{
		Segment: func(phase string, keys []latency.Key) error {
			all = append(all, segment{phase: phase, keys: keys})
			return nil
		},
		Point: func(p latency.Point) error {
			s := &all[len(all)-1]
			s.points = append(s.points, p)
			return nil
		},
		End: func(lost uint64) error {
			s := &all[len(all)-1]
			s.lost, s.ended = lost, true
			return nil
		},
	})
	return all, err
}

func somePoints(t testing.TB) ([]byte, []segment) {
	var out bytes.Buffer
	want := []segment{
		{phase: "load", keys: []latency.Key{{Op: "INSERT", Outcome: "OK"}}, lost: 3, ended: true},
		{phase: "measure", keys: []latency.Key{{Op: "READ", Outcome: "OK"}, {Op: "READ", Outcome: "ERROR", PartOf: "X"}}, ended: true, points: []latency.Point{
			{Series: 0, Done: 1 << 60, Response: 5, Service: 7}, {Series: 1, Done: 3, Response: math.MaxInt64, Service: 0}, {Series: 1, Done: -4, Response: -1, Service: 1},
		}},
	}
	w := latency.NewPointsWriter(&out)
	for _, s := range want {
		require.NoError(t, w.Segment(s.phase, s.keys))
		for _, p := range s.points {
			require.NoError(t, w.Add(p))
		}
		require.NoError(t, w.End(s.lost))
	}
	return out.Bytes(), want
}

func TestPointsAreReadAsTheyWereWritten(t *testing.T) {
	b, want := somePoints(t)
	got, err := readPoints(b)
	require.NoError(t, err)
	require.Equal(t, want, got)
	for n := 1; n < len(b); n++ {
		got, err := readPoints(b[:n])
		whole := err == nil && got[len(got)-1].ended
		require.True(t, err != nil || whole, "cut after %d of %d bytes", n, len(b))
	}
}

func FuzzReadPoints(f *testing.F) {
	b, _ := somePoints(f)
	f.Add(b)
	f.Add([]byte{0, 1, 'x', 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := readPoints(b)
		if err != nil {
			return
		}
		for _, s := range all {
			require.True(t, s.ended)
			for _, p := range s.points {
				require.Less(t, p.Series, len(s.keys))
			}
		}
	})
}
