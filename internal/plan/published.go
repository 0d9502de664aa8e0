package plan

// MaxPublished is the greatest number by which a published line may name its run or its client. A table has a row for
// each number up to the greatest.
const MaxPublished = 10_000

// CountsPublished reports whether a value may stand in a published line for a run or a client: a whole number within the
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
