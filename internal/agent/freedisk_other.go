//go:build !linux && !darwin

package agent

import "math"

// freeDisk is unknown on this system.
func freeDisk(string) uint64 { return math.MaxUint64 }
