package sqlite

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
)

// FuzzMeasurementRow checks that a row of a damaged file is either decoded to the values of its columns or refused.
func FuzzMeasurementRow(f *testing.F) {
	for _, samples := range []int{0, 1, 50} {
		h := archivetest.HistogramOf(samples, 1)
		blob := archivetest.Encoded(f, h)
		sum, lowest, highest, overflow := figures(h)
		f.Add(int64(samples), sum, lowest, highest, overflow, blob, false, []byte(nil))
		f.Add(int64(samples), sum, lowest, highest, overflow, blob, true, blob)
		f.Add(int64(samples), sum, lowest, highest, overflow, blob, false, blob)
		f.Add(int64(samples+1), sum, lowest, highest, overflow, blob, true, []byte(nil))
	}
	f.Fuzz(func(t *testing.T, count, sum, lowest, highest, overflow int64, response []byte, own bool, service []byte) {
		column := func(v int64, valid bool) sql.NullInt64 { return sql.NullInt64{Int64: v, Valid: valid} }
		row := measurementRow{
			decode:   new(latency.Compactor).Decode,
			key:      latency.Key{Op: "READ", Outcome: "OK"},
			count:    count,
			response: histogramColumns{column(sum, true), column(lowest, true), column(highest, true), column(overflow, true), response},
			service:  histogramColumns{column(sum, own), column(lowest, own), column(highest, own), column(overflow, own), service},
		}
		s, err := row.series()
		if err != nil {
			return
		}
		require.Equal(t, row.key, s.Key)
		want := map[*latency.Histogram][]byte{s.Response: response}
		if own {
			want[s.Service] = service
		} else {
			require.Same(t, s.Response, s.Service)
		}
		for h, blob := range want {
			require.Equal(t, blob, archivetest.Encoded(t, h), "a histogram has one encoding")
			require.Equal(t, uint64(count), h.Count())
			haveSum, haveLowest, haveHighest, haveOverflow := figures(h)
			require.Equal(t, []int64{sum, lowest, highest, overflow}, []int64{haveSum, haveLowest, haveHighest, haveOverflow})
		}
	})
}
