package spec

import "time"

// ServiceShape names how the null target's service times are drawn.
type ServiceShape string

// The shapes, as null.service spells them.
const (
	ServiceNone      ServiceShape = "0"         // at once
	ServiceConstant  ServiceShape = "constant"  // Time
	ServiceLognormal ServiceShape = "lognormal" // median Time, spread Sigma of its logarithm
	ServiceBimodal   ServiceShape = "bimodal"   // Time, or Slow with probability SlowShare
	ServiceStall     ServiceShape = "stall"     // Time; nothing is served in the last Stall of each Period
)

// Service is the null target's simulated service time.
type Service struct {
	Shape         ServiceShape
	Time          time.Duration
	Sigma         float64
	Slow          time.Duration
	SlowShare     float64
	Stall, Period time.Duration
}

// NullSettings is what the null target does: properties null.*.
type NullSettings struct {
	Service       Service
	LogPath       string  // of a log of every operation; empty for none
	ErrorShare    float64 // of operations that end in ERROR
	NotFoundShare float64 // of reads that end in NOT_FOUND
	Seed          uint64  // of service times and outcomes; 0 is the run's
}

// Null returns the null target's settings from resolved properties.
func Null(properties map[string]string) (NullSettings, error) {
	return NullSettings{}, nil
}
