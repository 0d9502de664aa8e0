package result

// maxCauses bounds how many causes of retries are kept apart.
const maxCauses = 64

// otherCauses stands for those above the bound.
const otherCauses = "other"

// addRetries adds the retries of a window to a sum, which is nil if there were none.
func addRetries(sum, more map[string]uint64) map[string]uint64 {
	for cause, n := range more {
		if sum == nil {
			sum = make(map[string]uint64)
		}
		if _, known := sum[cause]; !known && len(sum) >= maxCauses {
			cause = otherCauses
		}
		sum[cause] += n
	}
	return sum
}
