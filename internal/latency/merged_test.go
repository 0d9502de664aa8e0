package latency

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func same(key Key, samples ...int64) Series {
	h := histogramOf(samples...)
	return Series{Key: key, Response: h, Service: h}
}

func TestSeriesMergeByKey(t *testing.T) {
	read, update := Key{Op: "READ", Outcome: "OK"}, Key{Op: "UPDATE", Outcome: "OK"}
	part := Key{Op: "READ", Outcome: "OK", PartOf: "READ-MODIFY-WRITE"}
	var m Merged
	require.NoError(t, m.Add([]Series{same(update, 1), same(read, 2)}))
	require.NoError(t, m.Add(nil))
	require.NoError(t, m.Add([]Series{same(part, 3), same(read, 4, 5)}))
	series := m.Series()
	var keys []Key
	for _, s := range series {
		keys = append(keys, s.Key)
	}
	require.Equal(t, []Key{read, part, update}, keys)
	require.Equal(t, encoded(t, histogramOf(2, 4, 5)), encoded(t, series[0].Response))
	require.EqualValues(t, 4, Ops(series), "parts of larger operations are not counted")
	require.Equal(t, "READ/OK of READ-MODIFY-WRITE", part.String())
}

func TestBothClocksAreOneHistogramUntilTheyDiffer(t *testing.T) {
	key := Key{Op: "READ", Outcome: "OK"}
	var m Merged
	require.NoError(t, m.Add([]Series{same(key, 1, 2)}))
	require.NoError(t, m.Add([]Series{same(key, 3)}))
	s := m.Series()[0]
	require.Same(t, s.Response, s.Service)

	require.NoError(t, m.Add([]Series{{Key: key, Response: histogramOf(900), Service: histogramOf(9)}}))
	require.NoError(t, m.Add([]Series{same(key, 4)}))
	s = m.Series()[0]
	require.Equal(t, encoded(t, histogramOf(1, 2, 3, 4, 900)), encoded(t, s.Response))
	require.Equal(t, encoded(t, histogramOf(1, 2, 3, 4, 9)), encoded(t, s.Service))
}

func TestMergedSeriesAreCopies(t *testing.T) {
	key := Key{Op: "READ", Outcome: "OK"}
	var m Merged
	require.NoError(t, m.Add([]Series{{Key: key, Response: histogramOf(900), Service: histogramOf(9)}}))
	s := m.Series()[0]
	s.Response.Record(1)
	s.Service.Record(1)
	require.EqualValues(t, 1, m.Series()[0].Response.Count())
	require.EqualValues(t, 1, m.Series()[0].Service.Count())
}

// A reset leaves nothing behind, and All yields what Series copies.
func TestMergedReset(t *testing.T) {
	var used Merged
	rapid.Check(t, func(t *rapid.T) {
		used.Reset()
		var fresh Merged
		for range rapid.IntRange(0, 5).Draw(t, "lists") {
			key := Key{Op: rapid.SampledFrom([]string{"READ", "UPDATE", "SCAN"}).Draw(t, "op"), Outcome: "OK"}
			h := anyHistogram(t, "response")
			s := Series{Key: key, Response: h, Service: h}
			if rapid.Bool().Draw(t, "two clocks") {
				s.Service = h.Clone()
			}
			require.NoError(t, used.Add([]Series{s}))
			require.NoError(t, fresh.Add([]Series{s}))
		}
		want, i := fresh.Series(), 0
		for got := range used.All {
			require.Equal(t, want[i].Key, got.Key)
			require.Equal(t, want[i].Service == want[i].Response, got.Service == got.Response)
			require.Equal(t, encoded(t, want[i].Response), encoded(t, got.Response))
			require.Equal(t, encoded(t, want[i].Service), encoded(t, got.Service))
			i++
		}
		require.Len(t, want, i)
	})
}

func TestMalformedSeriesAreRefused(t *testing.T) {
	good := Key{Op: "READ", Outcome: "OK"}
	bad := Key{Op: "UPDATE", Outcome: "OK"}
	for name, s := range map[string]Series{
		"no response times": {Key: bad, Service: histogramOf(1)},
		"no service times":  {Key: bad, Response: histogramOf(1)},
		"counts differ":     {Key: bad, Response: histogramOf(1), Service: histogramOf(1, 2)},
	} {
		t.Run(name, func(t *testing.T) {
			var m Merged
			err := m.Add([]Series{same(good, 1), s})
			require.ErrorContains(t, err, "UPDATE/OK")
			require.Empty(t, m.Series(), "nothing of the list is merged")
			require.Error(t, m.Add([]Series{s}))
		})
	}
}
