package hfile_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"github.com/benchd/benchd/internal/target/hbase/hfile"
)

// cell encodes a KeyValue.
func cell(row, column, value string) []byte {
	key := binary.BigEndian.AppendUint16(nil, uint16(len(row)))
	key = append(key, row...)
	key = append(key, "\x02cf"+column...)
	key = append(binary.BigEndian.AppendUint64(key, 1_700_000_000_000), 4)
	b := binary.BigEndian.AppendUint32(nil, uint32(len(key)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
	return append(append(b, key...), value...)
}

func write(t require.TestingT, cells [][]byte) []byte {
	var out bytes.Buffer
	w := hfile.NewWriter(&out, 1_700_000_000_000)
	for _, c := range cells {
		require.NoError(t, w.Add(c))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// block is a block of a file, as HBase's reader divides it.
type block struct {
	at, size int
	magic    string
	data     []byte
}

// readBlock verifies the header and all checksums of a block.
func readBlock(t require.TestingT, file []byte, at int) block {
	h := file[at : at+33]
	require.EqualValues(t, 2, h[24], "CRC32C")
	per := int(binary.BigEndian.Uint32(h[25:]))
	onDisk, plain := int(binary.BigEndian.Uint32(h[8:])), int(binary.BigEndian.Uint32(h[12:]))
	whole := int(binary.BigEndian.Uint32(h[29:]))
	require.Equal(t, whole, plain+33)
	chunks := (whole + per - 1) / per
	require.Equal(t, onDisk, plain+4*chunks)
	sums := file[at+whole : at+33+onDisk]
	for i := range chunks {
		part := file[at+i*per : at+min((i+1)*per, whole)]
		require.Equal(t, crc32.Checksum(part, crc32.MakeTable(crc32.Castagnoli)), binary.BigEndian.Uint32(sums[4*i:]))
	}
	return block{at, 33 + onDisk, string(h[:8]), file[at+33 : at+whole]}
}

// vint reads a number as Hadoop's WritableUtils write it.
func vint(b []byte) (n, size int) {
	first := int8(b[0])
	if first >= -112 {
		return int(first), 1
	}
	size = -112 - int(first)
	for _, c := range b[1 : 1+size] {
		n = n<<8 | int(c)
	}
	return n, 1 + size
}

// numbers returns the numbers and texts of a protobuf message.
func numbers(t require.TestingT, message []byte) (map[int]uint64, map[int][][]byte) {
	n, texts := map[int]uint64{}, map[int][][]byte{}
	for len(message) > 0 {
		num, kind, size := protowire.ConsumeTag(message)
		require.Positive(t, size)
		message = message[size:]
		if kind == protowire.VarintType {
			n[int(num)], size = protowire.ConsumeVarint(message)
		} else {
			var b []byte
			b, size = protowire.ConsumeBytes(message)
			texts[int(num)] = append(texts[int(num)], b)
		}
		require.Positive(t, size)
		message = message[size:]
	}
	return n, texts
}

// read returns the cells of a file that it reads from its end, as HBase does, and the sizes of its data blocks.
func read(t require.TestingT, file []byte) (cells [][]byte, sizes []int) {
	trailer := file[len(file)-4096:]
	require.Equal(t, `TRABLK"$`, string(trailer[:8]))
	require.EqualValues(t, 3<<24|3, binary.BigEndian.Uint32(trailer[4092:]))
	message, _ := protowire.ConsumeBytes(trailer[8:])
	n, _ := numbers(t, message)
	root := readBlock(t, file, int(n[2]))
	require.Equal(t, "IDXROOT2", root.magic)
	meta := readBlock(t, file, root.at+root.size)
	require.Equal(t, "IDXROOT2", meta.magic)
	require.Empty(t, meta.data)
	info := readBlock(t, file, meta.at+meta.size)
	require.EqualValues(t, n[1], info.at)
	require.Equal(t, "FILEINF2PBUF", info.magic+string(info.data[:4]))
	require.Equal(t, len(file)-4096, info.at+info.size)

	index, next, previous := root.data, 0, -1
	for range n[5] {
		at, size := int(binary.BigEndian.Uint64(index)), int(binary.BigEndian.Uint32(index[8:]))
		length, used := vint(index[12:])
		key := index[12+used : 12+used+length]
		index = index[12+used+length:]
		b := readBlock(t, file, at)
		require.Equal(t, []any{"DATABLK*", next, size}, []any{b.magic, at, b.size})
		require.EqualValues(t, previous, int64(binary.BigEndian.Uint64(file[at+16:])))
		next, previous = at+size, at
		require.Equal(t, key, b.data[8:8+len(key)], "the index has the first key of each block")
		sizes = append(sizes, len(b.data))
		for data := b.data; len(data) > 0; {
			size := 8 + int(binary.BigEndian.Uint32(data)) + int(binary.BigEndian.Uint32(data[4:]))
			cells, data = append(cells, data[:size]), data[size:]
		}
	}
	require.Empty(t, index)
	require.Equal(t, root.at, next)
	require.EqualValues(t, previous, n[10], "the last data block")
	require.EqualValues(t, len(cells), n[7])
	entries, _ := protowire.ConsumeBytes(info.data[4:])
	_, pairs := numbers(t, entries)
	names := map[string][]byte{}
	for _, pair := range pairs[1] {
		_, texts := numbers(t, pair)
		names[string(texts[1][0])] = texts[2][0]
	}
	last := cells[len(cells)-1]
	require.Equal(t, last[8:8+binary.BigEndian.Uint32(last)], names["hfile.LASTKEY"])
	return cells, sizes
}

func TestAFileOfManyBlocks(t *testing.T) {
	var cells [][]byte
	for i := range 20_000 {
		cells = append(cells, cell(fmt.Sprintf("user%08d", i), "field0", "value"), cell(fmt.Sprintf("user%08d", i), "field1", ""))
	}
	cells = append(cells, cell("v", "large", string(bytes.Repeat([]byte("x"), 3<<20))), cell("w", "q", "1"))
	got, sizes := read(t, write(t, cells))
	require.Equal(t, cells, got)
	require.Greater(t, len(sizes), 20)
	for _, size := range sizes[:len(sizes)-2] {
		require.InDelta(t, 64<<10, size, 100)
	}
}

func TestAnyCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfNDistinct(rapid.StringN(1, 300, 600), 1, 200, rapid.ID[string]).Draw(t, "rows")
		slices.Sort(rows)
		var cells [][]byte
		for _, row := range rows {
			cells = append(cells, cell(row, "a", rapid.StringN(0, 2000, 5000).Draw(t, "value")), cell(row, "b", ""))
		}
		got, _ := read(t, write(t, cells))
		require.Equal(t, cells, got)
	})
}

func TestCellsOutOfOrderAreRefused(t *testing.T) {
	for name, second := range map[string][]byte{
		"a smaller row": cell("a", "q", ""), "the same cell": cell("b", "q", ""), "a smaller column": cell("b", "p", ""),
	} {
		w := hfile.NewWriter(&bytes.Buffer{}, 0)
		require.NoError(t, w.Add(cell("b", "q", "")))
		require.ErrorIs(t, w.Add(second), hfile.ErrOrder, name)
	}
	w := hfile.NewWriter(&bytes.Buffer{}, 0)
	require.ErrorIs(t, w.Close(), hfile.ErrEmpty)
	for _, wrong := range [][]byte{nil, {1, 2}, cell("r", "q", "v")[:20], append(cell("r", "q", "v"), 0)} {
		require.ErrorIs(t, w.Add(wrong), hfile.ErrCell)
	}
	require.NoError(t, w.Add(cell("b", "q", "")))
	require.NoError(t, w.Add(cell("b\x00", "a", "")), "a row that begins with another one follows it")
}

func TestAddAllocatesNothing(t *testing.T) {
	var out discard
	w := hfile.NewWriter(&out, 0)
	c := cell("user00000000", "field0", string(make([]byte, 100)))
	at := bytes.Index(c, []byte("00000000"))
	i := 0
	allocated := testing.AllocsPerRun(100_000, func() {
		i++
		copy(c[at:], fmt.Append(nil, 10_000_000+i))
		if err := w.Add(c); err != nil {
			t.Fatal(err)
		}
	})
	require.LessOrEqual(t, allocated, 2.0, "those of fmt.Append")
}

// discard counts what is written.
type discard int

func (d *discard) Write(b []byte) (int, error) {
	*d += discard(len(b))
	return len(b), nil
}
