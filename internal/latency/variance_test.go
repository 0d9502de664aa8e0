package latency_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
)

func TestVarianceIsThatOfTheSamples(t *testing.T) {
	var h latency.Histogram
	require.Zero(t, h.Variance())
	h.Record(5)
	require.Zero(t, h.Variance())

	h = latency.Histogram{}
	draw := rand.New(rand.NewPCG(1, 2))
	samples := make([]float64, 0, 100_001)
	var sum float64
	for range cap(samples) - 1 {
		v := int64(math.Exp(13 + draw.NormFloat64()))
		samples = append(samples, float64(v))
		sum += float64(v)
		h.Record(v)
	}
	long := 2 * time.Hour
	h.Record(int64(long))
	samples = append(samples, float64(long))
	mean, squares := (sum+float64(long))/float64(len(samples)), 0.0
	for _, v := range samples {
		squares += (v - mean) * (v - mean)
	}
	require.InEpsilon(t, squares/float64(len(samples)), h.Variance(), 0.001)
}
