package latency

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hdrOfYCSB is the interval of 4 operations in CLEANUP.hdr of YCSB 0.17.0, which writes version 1. Its text reports an average of
// 48 µs, a minimum of 1 and a maximum of 187.
const hdrOfYCSB = "HISTggAAAC542pNpmdzIwMD6gAECmKE0I5Rmsv/AgA0wofEZGUbBKBgFo2AUDEXACADaaQPT"

func TestHistogramsOfYCSBAreDecoded(t *testing.T) {
	got, err := new(HdrDecoder).Decode(hdrOfYCSB)
	require.NoError(t, err)
	require.Equal(t, Bucket{Low: 1, High: 1, Count: 2}, got[0])
	require.Equal(t, Bucket{Low: 187, High: 187, Count: 1}, got[len(got)-1])
	var sum, count uint64
	for _, b := range got {
		sum += b.Count * uint64(b.Low)
		count += b.Count
	}
	require.Equal(t, uint64(4), count)
	require.InDelta(t, 48, float64(sum)/4, 0.001)
}

func TestOwnHistogramLogsAreDecoded(t *testing.T) {
	h := histogramOf(3, 700, 1_234_567, 1_234_567, int64(time.Minute))
	var log bytes.Buffer
	w, err := NewLogWriter(&log, time.Unix(100, 0))
	require.NoError(t, err)
	require.NoError(t, w.Write("", 0, time.Second, h))
	text := strings.TrimSpace(log.String())
	line := text[strings.LastIndex(text, ",")+1:]

	got, err := new(HdrDecoder).Decode(line)
	require.NoError(t, err)
	require.Len(t, got, 4)
	for i, want := range []struct {
		value int64
		count uint64
	}{{3, 1}, {700, 1}, {1_234_567, 2}, {int64(time.Minute), 1}} {
		require.Equal(t, want.count, got[i].Count)
		require.LessOrEqual(t, got[i].Low, want.value)
		require.GreaterOrEqual(t, got[i].High, want.value)
	}
}

func TestMalformedHdrHistogramsAreRefused(t *testing.T) {
	raw, err := base64.StdEncoding.DecodeString(hdrOfYCSB)
	require.NoError(t, err)
	for name, text := range map[string]string{
		"not base64": "HISTgg*",
		"empty":      "",
		"truncated":  base64.StdEncoding.EncodeToString(raw[:20]),
		"version 0":  base64.StdEncoding.EncodeToString(append([]byte{0x1c, 0x84, 0x93, 0x09}, raw[4:]...)),
		"too long":   strings.Repeat("A", 5<<20),
	} {
		_, err := new(HdrDecoder).Decode(text)
		require.ErrorIs(t, err, ErrMalformed, name)
	}
}

func FuzzHdrDecode(f *testing.F) {
	f.Add([]byte(hdrOfYCSB))
	f.Add([]byte("HISTFAAAAB542pNpmSzMwMDAxAABzFCaEUqzAwAGKABD"))
	f.Fuzz(func(t *testing.T, text []byte) {
		buckets, err := new(HdrDecoder).Decode(string(text))
		if err != nil {
			require.ErrorIs(t, err, ErrMalformed)
			return
		}
		last := int64(-1)
		for _, b := range buckets {
			require.Greater(t, b.Low, last)
			require.GreaterOrEqual(t, b.High, b.Low)
			require.NotZero(t, b.Count)
			last = b.High
		}
	})
}
