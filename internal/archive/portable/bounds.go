package portable

import (
	"math"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive/column"
)

// Bounds on an imported file. Each is far above any real archive; docs/archive.md lists them.
const (
	maxImported      = 64 << 20  // bytes of one row
	maxImportedWhole = 128 << 20 // bytes of all rows that are read at once: those of all tables but windows with their parts, and observations
	maxImportedText  = 1 << 20   // bytes of a text that is not JSON
	maxImportedBlob  = 1 << 20   // bytes of a histogram
	maxImportedCount = 1 << 62   // of nanoseconds, bytes or operations
	maxImportedSeq   = 1 << 31   // windows of a phase
	maxImportedParts = 1 << 20   // shards of a run, and attempts at one
	maxImportedTime  = int64(10 * 365 * 24 * time.Hour)
	maxRunPoints     = 1 << 24 // observed of a run
)

// rowsOf bounds the rows of a table; 0 means no bound of its own.
func rowsOf(table int) int {
	switch table {
	case Suite:
		return 1
	case Run:
		return 20_000
	case Agent, Event, Loaded, Figure, Observation:
		return 1 << 20
	case Phase:
		return 20_000 * 16
	}
	return 0
}

// rangeOf bounds a whole number by its table and column.
func rangeOf(table int, name string) (lowest, highest int64) {
	switch name {
	case "seq", "rolled_seq":
		if table == Loaded {
			return -1, maxImportedSeq
		}
		return 0, maxImportedSeq
	case "rolled_windows":
		return 1, 10_000_000
	case "shard", "attempt", "repeat":
		return 0, maxImportedParts
	case "number":
		return 0, column.MaxFigures
	case "start_ns", "end_ns", "rolled_ns", "from_ns", "to_ns":
		return 0, maxImportedTime
	case "offset_ns":
		return -maxImportedTime, maxImportedTime
	case "tail", "last":
		return 0, 1
	case "response_sum_ns", "service_sum_ns": // capped there
		return 0, math.MaxInt64
	}
	return 0, maxImportedCount
}

// sizeOf bounds a text or blob by its column.
func sizeOf(name string) int {
	switch name {
	case "spec", "plan", "properties", "header", "state", "rows", "points":
		return maxImported
	case "id", "suite", "run", "status", "case_name", "name", "source", "unit", "phase", "kind", "db":
		return 4 << 10
	case "op", "outcome", "part_of":
		return 384
	case "response", "service", "histogram", "lateness":
		return maxImportedBlob
	}
	return maxImportedText
}

// bounded refuses a row with a value beyond its bound, and a file with too many or too large rows.
func (im *importer) bounded(row Row) error {
	table := im.known[row.Table].Name
	if im.rows == nil {
		im.rows = make(map[int]int)
	}
	im.rows[row.Table]++
	if most := rowsOf(row.Table); most > 0 && im.rows[row.Table] > most {
		return Damaged("it has more than %d rows of table %s", most, table)
	}
	size := 0
	for at, column := range row.Columns {
		n := 0
		switch v := row.Values[at].(type) {
		case int64:
			if lowest, highest := rangeOf(row.Table, column); v < lowest || v > highest {
				return Damaged("%s.%s is %d: it must be from %d to %d", table, column, v, lowest, highest)
			}
		case string:
			n = len(v)
		case []byte:
			n = len(v)
		}
		if most := sizeOf(column); n > most {
			return Damaged("%s.%s has %d bytes: at most %d are allowed", table, column, n, most)
		}
		size += n
	}
	if size > maxImported {
		return Damaged("a row of table %s has %d bytes: at most %d are allowed", table, size, maxImported)
	}
	switch row.Table {
	case Window, Measurement, Sample, Lateness, Phase:
		return nil
	case Observation:
		return im.boundedPoints(row)
	}
	if im.whole += size; im.whole > maxImportedWhole {
		return Damaged("its data besides windows and observations has more than %d MiB", maxImportedWhole>>20)
	}
	return nil
}

// boundedPoints bounds observations, which every result of their run has in memory.
func (im *importer) boundedPoints(row Row) error {
	value := func(column string) any {
		at := slices.Index(row.Columns, column)
		if at < 0 {
			return nil
		}
		return row.Values[at]
	}
	blob, _ := value("points").([]byte)
	from, _ := value("from_ns").(int64)
	figures, err := column.DecodePoints(time.Duration(from), blob)
	if err != nil {
		return Damaged("its observations cannot be read (%v)", err)
	}
	if im.points == nil {
		im.points = make(map[any]int)
	}
	run := value("run")
	for _, f := range figures {
		im.points[run] += len(f.At)
	}
	if im.points[run] > maxRunPoints {
		return Damaged("run %v has more than %d observed points", run, maxRunPoints)
	}
	return nil
}
