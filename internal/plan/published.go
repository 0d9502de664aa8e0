package plan

// MaxPublished is the maximum number of a run or a client in a published line. A table has a row for each number up to
// the largest.
const MaxPublished = 10_000

// CountsPublished reports whether a value is valid as the run or client of a published line: a whole number within the
// bound, or words, such as "average".
func CountsPublished(value any) bool {
	switch v := value.(type) {
	case int:
		return v >= 1 && v <= MaxPublished
	case int64:
		return v >= 1 && v <= MaxPublished
	case uint64:
		return v >= 1 && v <= MaxPublished
	case float64:
		return v >= 1 && v <= MaxPublished && v == float64(int(v))
	}
	return true
}
