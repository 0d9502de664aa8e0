package stats

import "slices"

// MedianMethod names how the interval of a median is computed.
const MedianMethod = "order statistics, exact for independent repeats of any distribution"

// MedianInterval bounds the median that endless repeats would have.
type MedianInterval struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	// Confidence is the exact one of these bounds, which are two of the values: at least the one that was requested.
	Confidence float64 `json:"confidence"`
	Method     string  `json:"method"`
}

// LeastForMedian is how many values an interval of the median with 95 % confidence needs.
const LeastForMedian = 6

// MedianOf bounds the median by two of the values with a confidence such as 0.95. It assumes no distribution, only that the
// values are independent. Nil if there are too few of them.
func MedianOf(values []float64, confidence float64) *MedianInterval {
	n := len(values)
	sorted := slices.Sorted(slices.Values(values))
	// So many values are left out at each end: the median is beyond them with the probability that this many or fewer of n
	// values are on one side of it.
	outside, missed := -1, 0.0
	for k := range n / 2 {
		risk := 2 * BinomialTail(uint64(n-k), uint64(n), 0.5)
		if risk > 1-confidence {
			break
		}
		outside, missed = k, risk
	}
	if outside < 0 {
		return nil
	}
	return &MedianInterval{
		Median: Median(values), Low: sorted[outside], High: sorted[n-1-outside], Confidence: 1 - missed, Method: MedianMethod,
	}
}

// The rule of Odd.
const (
	oddDistances = 5    // times the median distance from the median
	oddShare     = 0.05 // of the median
)

// Odd returns the indexes of the values that lie far from the median: by more than five times the median distance, and by
// more than 5 %. Of fewer than LeastRepeats values none is odd.
func Odd(values []float64) []int {
	if len(values) < LeastRepeats {
		return nil
	}
	middle := Median(values)
	distances := make([]float64, len(values))
	for i, v := range values {
		distances[i] = max(v-middle, middle-v)
	}
	far := max(oddDistances*Median(distances), oddShare*max(middle, -middle))
	var out []int
	for i, d := range distances {
		if d > far {
			out = append(out, i)
		}
	}
	return out
}
