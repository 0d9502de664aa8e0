package postgres

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
