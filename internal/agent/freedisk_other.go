//go:build !linux && !darwin

package agent

import "math"

// freeDisk is not known here.
func freeDisk(string) uint64 { return math.MaxUint64 }
