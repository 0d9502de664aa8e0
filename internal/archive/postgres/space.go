package postgres

import (
	"slices"

	"github.com/benchd/benchd/internal/archive/portable"
)

// About how many bytes of the disk a row takes with its entries in indexes, without its texts and blobs.
const (
	suiteBytes       = 4 << 10 // with its runs
	windowBytes      = 600
	measurementBytes = 180
	latenessBytes    = 80
	sampleBytes      = 100
	observationBytes = 120
)

// account queues the change of the space that a suite takes.
func account(tx *transaction, suite string, bytes int64) {
	if bytes != 0 {
		tx.later(`UPDATE space SET bytes = greatest(bytes + $2, 0) WHERE suite = $1`, suite, bytes)
	}
}

// spaceOf is about how many bytes of the disk a row of a file takes.
func spaceOf(row *portable.Row) int64 {
	with := func(fixed int, columns ...string) int64 {
		for i, column := range row.Columns {
			if !slices.Contains(columns, column) {
				continue
			}
			switch v := row.Values[i].(type) {
			case string:
				fixed += len(v)
			case []byte:
				fixed += len(v)
			}
		}
		return int64(fixed)
	}
	switch row.Table {
	case portable.Suite:
		return with(suiteBytes, "spec", "plan")
	case portable.Window:
		return with(windowBytes)
	case portable.Measurement:
		return with(measurementBytes, "response", "service")
	case portable.Lateness:
		return with(latenessBytes, "histogram")
	case portable.Sample:
		return with(sampleBytes, "message")
	case portable.Observation:
		return with(observationBytes, "points")
	}
	return 0
}
