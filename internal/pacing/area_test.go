package pacing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/pacing"
)

func TestTheAreaOfARateIsItsNumberOfOperations(t *testing.T) {
	ramp := pacing.Rate{{From: 0, To: 100, Seconds: 10}, {From: 100, To: 100, Seconds: 5}, {From: 50, To: 50}}
	tests := []struct {
		rate    pacing.Rate
		seconds float64
		want    float64
	}{
		{nil, 5, 0},
		{pacing.Rate{{From: 20, To: 20}}, 3, 60},
		{ramp, 0, 0},
		{ramp, 5, 125},
		{ramp, 10, 500},
		{ramp, 12, 700},
		{ramp, 15, 1000},
		{ramp, 20, 1250},
		{pacing.Rate{{From: 10, To: 30, Seconds: 2}}, 4, 100}, // the last rate continues
	}
	for _, test := range tests {
		require.InDelta(t, test.want, test.rate.Area(test.seconds), 1e-9, "%v after %v s", test.rate, test.seconds)
	}
}
