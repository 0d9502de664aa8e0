package protocol

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

// seeds adds answers of a server.
func seeds(f *testing.F) {
	f.Helper()
	cells := AppendCell(nil, &Cell{Row: []byte("k"), Family: []byte("cf"), Qualifier: []byte("f"), Value: []byte("value")})
	cells = AppendCell(cells, &Cell{Row: []byte("k"), Family: []byte("cf"), Qualifier: []byte("g")})
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

// Any answer is counted correctly or refused.
func FuzzAnswers(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, message, cells []byte) {
		var got Tally
		var collected int64
		if got.Get(message, cells, func(_, value []byte) { collected += int64(len(value)) }) == nil {
			require.LessOrEqual(t, collected, got.Bytes)
		}
		got = Tally{}
		if p, err := got.Scan(message, cells); err == nil {
			require.LessOrEqual(t, p.Rows, got.Rows+len(message))
			require.True(t, p.Rows == 0 || p.Last != nil)
		}
		_ = Multi(message, func(_, _ int, r MultiResult) error {
			_, rest, err := got.Result(r.Result, cells, nil)
			if err == nil {
				cells = rest
			}
			return err
		})
		_, _ = Processed(message)
	})
}

// The client that reads answers also measures: its garbage would affect the latencies.
func TestReadingAnswersAllocatesNothing(t *testing.T) {
	var block []byte
	for _, qualifier := range []string{"a", "b"} {
		block = AppendCell(block, &Cell{Row: []byte("k"), Family: []byte("cf"), Qualifier: []byte(qualifier), Type: TypePut, Value: []byte("value")})
	}
	encode := func(m proto.Message) []byte {
		b, err := proto.Marshal(m)
		require.NoError(t, err)
		return b
	}
	result := &pb.Result{AssociatedCellCount: new(int32(2))}
	inner := &pb.Result{Cell: []*pb.Cell{{Row: []byte("k"), Family: []byte("cf"), Qualifier: []byte("a"), Value: []byte("value")}}}
	get, getInside := encode(&pb.GetResponse{Result: result}), encode(&pb.GetResponse{Result: inner})
	scan := encode(&pb.ScanResponse{CellsPerResult: []uint32{2}, MoreResultsInRegion: new(true), PartialFlagPerResult: []bool{false}})
	multi := encode(&pb.MultiResponse{RegionActionResult: []*pb.RegionActionResult{
		{ResultOrException: []*pb.ResultOrException{{Index: new(uint32(0)), Result: result}}},
	}})
	mutate := encode(&pb.MutateResponse{Processed: new(true)})
	var collected int
	collect := func(_, value []byte) { collected += len(value) }
	for name, read := range map[string]func(t *Tally) error{
		"get":                    func(t *Tally) error { return t.Get(get, block, collect) },
		"get, cells in messages": func(t *Tally) error { return t.Get(getInside, nil, collect) },
		"scan": func(t *Tally) error {
			_, err := t.Scan(scan, block)
			return err
		},
		"multi": func(t *Tally) error {
			rest := block
			return Multi(multi, func(_, _ int, r MultiResult) (err error) {
				_, rest, err = t.Result(r.Result, rest, nil)
				return err
			})
		},
		"mutate": func(t *Tally) error {
			_, err := Processed(mutate)
			t.Rows++
			return err
		},
	} {
		var got Tally
		require.Zero(t, testing.AllocsPerRun(100, func() {
			got = Tally{}
			if err := read(&got); err != nil {
				t.Error(err)
			}
		}), name)
		require.Equal(t, 1, got.Rows, name)
	}
	out := make([]byte, 0, 1<<10)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		out = AppendCell(out[:0], &Cell{Row: block[:1], Family: block[:1], Qualifier: block[:1], Timestamp: LatestTimestamp, Type: TypePut, Value: block[:9]})
	}), "append a cell")
}
