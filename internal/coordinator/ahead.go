package coordinator

import (
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// ahead estimates how long the runs of a suite take that come after the current one: as long as an earlier one of the same
// case did, or as its phases are long, or as runs of the suite took on the average; ok is false where nothing tells.
func ahead(suite archive.Suite, runs []archive.RunRecord, current string) (left time.Duration, ok bool) {
	took := make(map[string]time.Duration)
	var all, n time.Duration
	for _, r := range runs {
		if r.Status == result.Complete && !r.Started.IsZero() {
			took[r.Case] = r.Ended.Sub(r.Started)
			all, n = all+took[r.Case], n+1
		}
	}
	for _, r := range runs {
		if r.Status.Ended() || r.ID == current {
			continue
		}
		if d, known := took[r.Case]; known {
			left += d
			continue
		}
		opened, err := openRun(suite, r)
		if err != nil {
			return 0, false
		}
		d, bounded := plan.Length(opened.phases)
		switch {
		case bounded:
		case n > 0:
			d = all / n
		default:
			return 0, false
		}
		left += d
	}
	return left, true
}
