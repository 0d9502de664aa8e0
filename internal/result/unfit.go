package result

import (
	"cmp"
	"fmt"
	"strings"
)

// Unfit returns the reason why a run must not be averaged or compared with others, or "": only complete runs that reconcile
// are fit, and foreign ones, whose counts are unknown.
func (r Run) Unfit() string {
	switch {
	case r.Status == Partial && len(r.Missing) > 0:
		return "missing: " + strings.Join(r.Missing, "; ")
	case r.Status != Complete:
		return cmp.Or(r.Reason, "it is "+string(r.Status))
	case !r.Reconcile.OK && !r.Reconcile.Unknown:
		return fmt.Sprintf("its counts do not reconcile: %d issued, %d recorded, %d merged", r.Reconcile.Issued, r.Reconcile.Recorded, r.Reconcile.Merged)
	case r.Subject() == nil:
		return "nothing was measured"
	}
	return ""
}
