package latency

import "math"

// Bounds define where a Recorder's windows end: at each whole multiple of Every after Start, and at Stop, from which the
// multiples are counted again. All are in the time base of a sample's done.
type Bounds struct {
	Start int64
	Every int64 // 0 for no multiples
	Stop  int64 // at or before Start for none
}

// after returns the first end of a window after t, MaxInt64 if there is none.
func (b Bounds) after(t int64) int64 {
	if t < b.Start {
		return b.Start
	}
	stop := int64(math.MaxInt64)
	if b.Stop > b.Start {
		if t < b.Stop {
			stop = b.Stop
		} else {
			b.Start = b.Stop
		}
	}
	if b.Every <= 0 {
		return stop
	}
	// Instants are counted from zero up, so only a sum can overflow.
	into := (t - b.Start) % b.Every
	if t-into > math.MaxInt64-b.Every {
		return stop
	}
	return min(t-into+b.Every, stop)
}

// ends returns the ends of the next windows after t, in order.
func (b Bounds) ends(t int64) []int64 {
	ends := make([]int64, 0, Horizon+1)
	for range Horizon {
		if t = b.after(t); t == math.MaxInt64 {
			break
		}
		ends = append(ends, t)
	}
	return ends
}
