package hbase

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

// seeds are answers as a server gives them.
func seeds(f *testing.F) {
	f.Helper()
	cells := appendCell(appendCell(nil, []byte("k"), []byte("cf"), []byte("f"), []byte("value")), []byte("k"), []byte("cf"), []byte("g"), nil)
	inner := &pb.Result{Cell: []*pb.Cell{{Row: []byte("k"), Family: []byte("cf"), Qualifier: []byte("f"), Value: []byte("value")}}}
	for _, m := range []proto.Message{
		&pb.GetResponse{Result: &pb.Result{AssociatedCellCount: new(int32(2))}},
		&pb.GetResponse{Result: inner},
		&pb.ScanResponse{CellsPerResult: []uint32{1, 1}, MoreResultsInRegion: new(true), MoreResults: new(false)},
		&pb.ScanResponse{Results: []*pb.Result{inner}},
		&pb.MultiResponse{RegionActionResult: []*pb.RegionActionResult{
			{ResultOrException: []*pb.ResultOrException{{Index: new(uint32(0)), Result: &pb.Result{AssociatedCellCount: new(int32(2))}}}},
			{Exception: &pb.NameBytesPair{Name: new("a.B"), Value: []byte("a.B: c")}},
		}},
		&pb.MutateResponse{Processed: new(false)},
	} {
		message, err := proto.Marshal(m)
		require.NoError(f, err)
		f.Add(message, cells)
	}
}

// Whatever a server sends, it is told and counted rightly, or refused.
func FuzzAnswers(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, message, cells []byte) {
		var got tally
		var collected int64
		if got.got(message, cells, func(_, value []byte) { collected += int64(len(value)) }) == nil {
			require.LessOrEqual(t, collected, got.bytes)
		}
		got = tally{}
		if p, err := got.scannedPage(message, cells); err == nil {
			require.LessOrEqual(t, p.rows, got.rows+len(message))
			require.True(t, p.rows == 0 || p.last != nil)
		}
		_ = multiAnswer(message, func(_, _ int, r multiResult) error {
			_, rest, err := got.result(r.result, cells, nil)
			if err == nil {
				cells = rest
			}
			return err
		})
		_, _ = processed(message)
	})
}

func TestCellsAreReadAsTheyAreWritten(t *testing.T) {
	b := appendCell(nil, []byte("row"), []byte("cf"), []byte("column"), []byte("value"))
	b = appendCell(b, []byte("r"), []byte("f"), nil, nil)
	var c cell
	rest, err := nextCell(b, &c)
	require.NoError(t, err)
	require.Equal(t, []string{"row", "cf", "column", "value"}, []string{string(c.row), string(c.family), string(c.qualifier), string(c.value)})
	rest, err = nextCell(rest, &c)
	require.NoError(t, err)
	require.Equal(t, []string{"r", "f", "", ""}, []string{string(c.row), string(c.family), string(c.qualifier), string(c.value)})
	require.Empty(t, rest)
	for n := range b {
		if _, err := nextCell(b[:n], &c); err == nil {
			_, err = nextCell(b[:n][len(b)-len(appendCell(nil, []byte("r"), []byte("f"), nil, nil)):], &c)
			require.Error(t, err)
		}
	}
}
