package store

import (
	"bytes"
	"cmp"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

func keyOf(table uint32, c *protocol.Cell) []byte {
	key := appendColumn(appendRow(nil, table, c.Row), c.Family, c.Qualifier)
	return appendVersion(key, c.Timestamp, c.Type)
}

// drawnCell has bytes that could break an encoding.
func drawnCell(t *rapid.T, name string) (uint32, *protocol.Cell) {
	b := rapid.SampledFrom([]byte{0, 1, 2, 0xfe, 0xff, 'a'})
	return rapid.Uint32Range(0, 2).Draw(t, name+" table"), &protocol.Cell{
		Row:       rapid.SliceOfN(b, 1, 4).Draw(t, name+" row"),
		Family:    rapid.SampledFrom([][]byte{[]byte("a"), []byte("ab"), []byte("b")}).Draw(t, name+" family"),
		Qualifier: rapid.SliceOfN(b, 0, 4).Draw(t, name+" qualifier"),
		Timestamp: rapid.SampledFrom([]int64{0, 1, 255, 256, 1 << 40, 1<<63 - 1}).Draw(t, name+" time"),
		Type:      rapid.SampledFrom([]protocol.CellType{protocol.TypePut, protocol.TypeDelete, protocol.TypeDeleteFamilyVersion, protocol.TypeDeleteColumn, protocol.TypeDeleteFamily}).Draw(t, name+" type"),
	}
}

func TestKeysAreInTheOrderOfTheirCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ta, a := drawnCell(t, "a")
		tb, b := drawnCell(t, "b")
		ka, kb := keyOf(ta, a), keyOf(tb, b)
		require.Equal(t, cmp.Or(cmp.Compare(ta, tb), protocol.CompareCells(a, b)), bytes.Compare(ka, kb))

		n := splitKey(ka)
		require.Equal(t, appendRow(nil, ta, a.Row), ka[:n])
		require.Equal(t, ta == tb && bytes.Equal(a.Row, b.Row), bytes.HasPrefix(kb, ka[:n]), "rows share keys only with themselves")
		row, _ := unescape(nil, ka[tablePrefix:n])
		require.Equal(t, a.Row, row)
		var got protocol.Cell
		_, err := decodeColumn(&got, ka[n:], nil)
		require.NoError(t, err)
		require.Equal(t, string(a.Qualifier), string(got.Qualifier))
		require.Equal(t, a.Family, got.Family)
		require.Equal(t, a.Timestamp, got.Timestamp)
		require.Equal(t, a.Type, got.Type)
		after := beyond(appendRow(nil, ta, a.Row))
		require.Equal(t, ta < tb || ta == tb && bytes.Compare(b.Row, a.Row) > 0, bytes.Compare(kb, after) >= 0, "the bound beyond a row is after its keys and before all others")
	})
}

// FuzzDecode takes any bytes as a stored key and value: decoding must not panic, and encoding an accepted cell must
// return the same bytes.
func FuzzDecode(f *testing.F) {
	c := protocol.Cell{Row: []byte("r\x00w"), Family: []byte("f"), Qualifier: []byte("q\x00"), Timestamp: 7, Type: protocol.TypePut}
	f.Add(keyOf(1, &c), []byte{headerPlain, 'v'})
	f.Add([]byte("c\x00\x00\x00\x01a\x00"), []byte{headerExpiry, 0, 0, 0, 0, 0, 0, 0, 9, 'v'})
	f.Fuzz(func(t *testing.T, key, stored []byte) {
		_, _, _ = decodeValue(stored)
		n := splitKey(key)
		require.LessOrEqual(t, n, len(key))
		if n < tablePrefix+2 || key[0] != spaceCells || n == len(key) {
			return
		}
		row, _ := unescape(nil, key[tablePrefix:n])
		c := protocol.Cell{Row: bytes.Clone(row)}
		if _, err := decodeColumn(&c, key[n:], nil); err != nil {
			return
		}
		again := keyOf(uint32(key[1])<<24|uint32(key[2])<<16|uint32(key[3])<<8|uint32(key[4]), &c)
		var back protocol.Cell
		_, err := decodeColumn(&back, again[splitKey(again):], nil)
		require.NoError(t, err)
		require.Equal(t, string(c.Qualifier), string(back.Qualifier))
		require.Equal(t, c.Timestamp, back.Timestamp)
	})
}
