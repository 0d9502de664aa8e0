package setup

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/workload"
)

// Points returns the keys at which a table for a workload is split, in order and each once.
func Points(splits hbasespec.Splits, w workload.Config) ([][]byte, error) {
	switch {
	case len(splits.Keys) > 0:
		return splits.Keys, nil
	case splits.Count == 0:
		return nil, nil
	}
	switch splits.Formula {
	case hbasespec.SplitFourDigits:
		return numbered(w.KeyPrefix, 1000, 9999, splits.Count), nil
	case hbasespec.SplitFiveDigits:
		return numbered(w.KeyPrefix, 10_000, 99_999, splits.Count), nil
	case hbasespec.SplitQuantiles:
	}
	return w.Splits(splits.Count + 1)
}

// numbered is the formula of published reports, as HBase's shell computes it: integers, i from 1 to n. The last point is the
// last number, so hardly any key follows it.
func numbered(prefix string, first, last, n int) [][]byte {
	points := make([][]byte, 0, n)
	for i := 1; i <= n; i++ {
		points = append(points, strconv.AppendInt([]byte(prefix), int64(first+i*(last-first)/n), 10))
	}
	return slices.CompactFunc(points, bytes.Equal)
}
