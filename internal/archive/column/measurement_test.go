package column

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
)

// FuzzMeasurement checks that a row of a damaged file is either decoded to the values of its columns or refused.
func FuzzMeasurement(f *testing.F) {
	for _, samples := range []int{0, 1, 50} {
		h := archivetest.HistogramOf(samples, 1)
		blob := archivetest.Encoded(f, h)
		sum, lowest, highest, overflow := Figures(h)
		f.Add(int64(samples), sum, lowest, highest, overflow, blob, false, []byte(nil))
		f.Add(int64(samples), sum, lowest, highest, overflow, blob, true, blob)
		f.Add(int64(samples), sum, lowest, highest, overflow, blob, false, blob)
		f.Add(int64(samples+1), sum, lowest, highest, overflow, blob, true, []byte(nil))
	}
	f.Fuzz(func(t *testing.T, count, sum, lowest, highest, overflow int64, response []byte, own bool, service []byte) {
		nullable := func(v int64, valid bool) sql.NullInt64 { return sql.NullInt64{Int64: v, Valid: valid} }
		row := Measurement{
			Key:      latency.Key{Op: "READ", Outcome: "OK"},
			Count:    count,
			Response: Histogram{nullable(sum, true), nullable(lowest, true), nullable(highest, true), nullable(overflow, true), response},
			Service:  Histogram{nullable(sum, own), nullable(lowest, own), nullable(highest, own), nullable(overflow, own), service},
		}
		s, err := row.Series(new(latency.Compactor).Decode)
		if err != nil {
			return
		}
		require.Equal(t, row.Key, s.Key)
		want := map[*latency.Histogram][]byte{s.Response: response}
		if own {
			want[s.Service] = service
		} else {
			require.Same(t, s.Response, s.Service)
		}
		for h, blob := range want {
			require.Equal(t, blob, archivetest.Encoded(t, h), "a histogram has one encoding")
			require.Equal(t, uint64(count), h.Count())
			haveSum, haveLowest, haveHighest, haveOverflow := Figures(h)
			require.Equal(t, []int64{sum, lowest, highest, overflow}, []int64{haveSum, haveLowest, haveHighest, haveOverflow})
		}
	})
}
