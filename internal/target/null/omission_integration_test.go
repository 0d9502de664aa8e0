//go:build integration

package null_test

import (
	"testing"
	"time"
)

func TestNoCoordinatedOmissionInRealTime(t *testing.T) {
	stalling{period: 10 * time.Second, periods: 6, rate: 1000, workers: 16}.check(t)
}
