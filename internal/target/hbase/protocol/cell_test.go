package protocol

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCellsAreReadAsTheyAreWritten(t *testing.T) {
	cells := []Cell{
		{Row: []byte("row"), Family: []byte("cf"), Qualifier: []byte("column"), Timestamp: 7, Type: TypePut, Value: []byte("value")},
		{Row: []byte("r"), Family: []byte("f"), Qualifier: []byte{}, Timestamp: LatestTimestamp, Type: TypeDeleteFamily, Value: []byte{}},
	}
	var block []byte
	for i := range cells {
		before := len(block)
		block = AppendCell(block, &cells[i])
		require.Len(t, block, before+4+cells[i].Size())
	}
	rest := block
	for _, want := range cells {
		var got Cell
		var err error
		rest, err = NextCell(rest, &got)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.Empty(t, rest)
	for n := range 4 + cells[0].Size() {
		_, err := NextCell(block[:n], new(Cell))
		require.ErrorIs(t, err, ErrCell)
	}
}

func TestTagsOfACellAreSkipped(t *testing.T) {
	want := Cell{Row: []byte("r"), Family: []byte("f"), Qualifier: []byte("q"), Timestamp: 7, Type: TypePut, Value: []byte("v")}
	block := append(AppendCell(nil, &want), "tags"...)
	binary.BigEndian.PutUint32(block, uint32(want.Size()+len("tags")))
	block = AppendCell(block, &want)
	for range 2 {
		var got Cell
		rest, err := NextCell(block, &got)
		require.NoError(t, err)
		require.Equal(t, want, got)
		block = rest
	}
	require.Empty(t, block)
}

func TestCellsAreInHBasesOrder(t *testing.T) {
	cell := func(row, family, qualifier string, at int64, kind CellType) *Cell {
		return &Cell{Row: []byte(row), Family: []byte(family), Qualifier: []byte(qualifier), Timestamp: at, Type: kind}
	}
	ordered := []*Cell{
		cell("a", "f", "q", 2, TypePut), cell("a", "f", "q", 1, TypeDelete), cell("a", "f", "q", 1, TypePut),
		cell("a", "f", "r", 9, TypePut), cell("a", "g", "", 9, TypePut), cell("b", "", "", 9, TypePut),
	}
	for i, a := range ordered {
		for j, b := range ordered {
			require.Equal(t, bytes.Compare([]byte{byte(i)}, []byte{byte(j)}), CompareCells(a, b), "%d %d", i, j)
		}
	}
}

// Reading arbitrary bytes ends, and a cell without tags encodes to the same bytes.
func FuzzCells(f *testing.F) {
	f.Add(AppendCell(nil, &Cell{Row: []byte("r"), Family: []byte("f"), Qualifier: []byte("q"), Timestamp: 7, Type: TypePut, Value: []byte("v")}))
	f.Add([]byte{0, 0, 0, 20, 0, 0, 0, 12, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, block []byte) {
		for len(block) > 0 {
			var c Cell
			rest, err := NextCell(block, &c)
			if err != nil {
				return
			}
			if size := 4 + c.Size(); size == len(block)-len(rest) {
				require.Equal(t, block[:size], AppendCell(nil, &c))
			}
			block = rest
		}
	})
}
