package relay

import (
	"fmt"
	"slices"
	"time"
)

// Round has the medians of one run through a Relay.
type Round struct {
	Reported time.Duration // what benchd reports
	Relay    time.Duration // what the relay noted
	Own      time.Duration // how much longer the same client takes in a program without benchd; zero if it was not measured
}

// Difference is the part of the reported latency that neither the relay nor the client itself explains.
func (r Round) Difference() time.Duration { return r.Reported - r.Relay - r.Own }

// Median returns the median of durations, of which there must be some.
func Median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return (d[(len(d)-1)/2] + d[len(d)/2]) / 2
}

// Check returns the median difference of rounds, and an error if it is beyond the tolerance either way.
func Check(rounds []Round, tolerance time.Duration) (time.Duration, error) {
	var differences []time.Duration
	for _, r := range rounds {
		differences = append(differences, r.Difference())
	}
	median := Median(differences)
	if median.Abs() > tolerance {
		return median, fmt.Errorf("reported latencies differ by %v from those of the relay, in the median of %d rounds: the tolerance is %v", median, len(rounds), tolerance)
	}
	return median, nil
}
