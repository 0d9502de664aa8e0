package compare

import (
	"strconv"

	"github.com/benchd/benchd/internal/result"
)

// target adds what is known of the target: the regions of the table as the run began.
func (f figures) target(run result.Run) {
	if n, err := strconv.ParseFloat(run.Provenance.Target["hbase.table.regions"], 64); err == nil {
		f["regions"] = n
	}
}
