package latency

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestQuantilesEqualHdrHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Custom(anyValue), 1, 200).Draw(t, "samples")
		ours := histogramOf(samples...)
		theirs := hdrhistogram.New(1, Highest, significantDigits)
		for _, v := range samples {
			require.NoError(t, theirs.RecordValue(v))
		}
		exported, err := ours.hdr(time.Nanosecond)
		require.NoError(t, err)
		require.True(t, theirs.Equals(exported), "the export is another histogram")
		// HdrHistogram for Go rounds to the next rank instead of up, so both are asked for whole ranks.
		for r := 1; r <= len(samples); r++ {
			q := float64(r) / float64(len(samples))
			require.Equal(t, min(theirs.ValueAtQuantile(100*q), ours.Max()), ours.Quantile(q), "rank %d of %d", r, len(samples))
		}
	})
}

func TestExportKeepsTheOverflow(t *testing.T) {
	out, err := histogramOf(5, Highest+1, math.MaxInt64).hdr(time.Nanosecond)
	require.NoError(t, err)
	require.EqualValues(t, 3, out.TotalCount())
	require.Equal(t, highest(index(Highest)), out.Max())
}

func TestExportOfTooManySamplesIsAnError(t *testing.T) {
	_, err := new(LogEncoder).encode(tooMany(), time.Nanosecond)
	require.ErrorContains(t, err, "more samples")
}

func TestHistogramLogIsReadBackWithTheSameTotals(t *testing.T) {
	var log bytes.Buffer
	start := time.Date(2026, 5, 4, 3, 2, 1, int(987*time.Millisecond), time.UTC)
	w, err := NewLogWriter(&log, start)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(3, 4))
	var written []*Histogram
	for i := range 5 {
		h := new(Histogram)
		for range 1000 * (i + 1) {
			h.Record(int64(1e6 * math.Exp(rng.NormFloat64())))
		}
		if i == 3 {
			h.Record(2 * Highest)
		}
		written = append(written, h)
		require.NoError(t, w.Write("READ", time.Duration(i)*100*time.Millisecond, time.Duration(i+1)*100*time.Millisecond, h))
	}
	require.Contains(t, log.String(), "[Histogram log format version 1.3]")
	require.Contains(t, log.String(), "#[Overflow: 1 samples above 1h0m0s")

	r := hdrhistogram.NewHistogramLogReader(&log)
	for i, h := range written {
		back, err := r.NextIntervalHistogram()
		require.NoError(t, err)
		require.NotNil(t, back)
		want, err := h.hdr(time.Nanosecond)
		require.NoError(t, err)
		require.True(t, want.Equals(back))
		require.EqualValues(t, h.Count(), back.TotalCount())
		require.Equal(t, "READ", back.Tag())
		require.InDelta(t, start.UnixMilli()+int64(100*i), back.StartTimeMs(), 1)
		require.InDelta(t, start.UnixMilli()+int64(100*(i+1)), back.EndTimeMs(), 1)
	}
	back, err := r.NextIntervalHistogram()
	require.NoError(t, err)
	require.Nil(t, back)
}

// A histogram that was encoded elsewhere has the same line, overflow included.
func TestALoggedHistogramHasTheSameLine(t *testing.T) {
	var encode LogEncoder
	var series []LoggedSeries
	response, service := histogramOf(5, 7_000_000, Highest, Highest+1), histogramOf(4, 5, 6_000_000, 6_000_000)
	for _, s := range []Series{{Response: response, Service: service}, {Response: service, Service: service}, {Response: new(Histogram), Service: new(Histogram)}} {
		logged, err := encode.Series(s)
		require.NoError(t, err)
		require.Equal(t, s.Service == s.Response, logged.Service == logged.Response)
		series = append(series, logged)
	}
	for i, h := range [][2]*Histogram{{response, service}, {service, service}, {new(Histogram), new(Histogram)}} {
		var want, got strings.Builder
		direct, err := NewLogWriter(&want, time.Unix(1, 5_000_000))
		require.NoError(t, err)
		require.NoError(t, errors.Join(direct.Write("", time.Second, 2*time.Second, h[0]), direct.Write("service", time.Second, 2*time.Second, h[1])))
		logged, err := NewLogWriter(&got, time.Unix(1, 5_000_000))
		require.NoError(t, err)
		require.NoError(t, errors.Join(logged.WriteLogged("", time.Second, 2*time.Second, series[i].Response), logged.WriteLogged("service", time.Second, 2*time.Second, series[i].Service)))
		require.Equal(t, want.String(), got.String())
	}
	_, err := encode.Series(Series{Response: response, Service: tooMany()})
	require.ErrorContains(t, err, "more samples")
}

// tooMany has more samples than an HdrHistogram can count.
func tooMany() *Histogram {
	h := new(Histogram)
	h.put(3, 1<<63)
	h.totals.count = 1 << 63
	return h
}

func TestHistogramLogRefusesATagThatWouldBreakTheLine(t *testing.T) {
	var log strings.Builder
	w, err := NewLogWriter(&log, time.Unix(0, 0))
	require.NoError(t, err)
	before := log.Len()
	for _, tag := range []string{"a,b", "a b", " ", "x\n"} {
		require.ErrorContains(t, w.Write(tag, 0, 1, new(Histogram)), "comma or a space")
	}
	require.Equal(t, before, log.Len())
}

// fullDisk accepts a number of writes.
type fullDisk struct{ room int }

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.room--; d.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

var errFull = errors.New("disk full")

func TestHistogramLogReportsAFullDisk(t *testing.T) {
	for room := range 5 {
		_, err := NewLogWriter(&fullDisk{room}, time.Unix(0, 0))
		require.ErrorIs(t, err, errFull)
	}
	for room := 5; room < 7; room++ {
		w, err := NewLogWriter(&fullDisk{room}, time.Unix(0, 0))
		require.NoError(t, err)
		require.ErrorIs(t, w.Write("READ", 0, time.Second, histogramOf(1, 2*Highest)), errFull)
	}
}
