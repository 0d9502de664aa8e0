// Package hfile writes HBase's HFiles, version 3, for bulk loads. A Writer streams: its memory is one block and the index.
//
// A file is:
//
//  1. data blocks of cells in order, each with checksums of its parts
//  2. the index of the data blocks: place, size and first key of each, in one level
//  3. an empty index of meta blocks, and the file info
//  4. a trailer of 4096 bytes
//
// The files are not compressed or encoded and have no bloom filter; HBase's next compaction writes them as the family demands.
package hfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	blockSize      = 64 << 10 // of data, at which a block ends
	header         = 33       // bytes before the data of a block
	chunk          = 16 << 10 // bytes of a checksum
	checksumCRC32C = 2
	trailerSize    = 4096
	version        = 3<<24 | 3 // minor and major
)

// Writer writes one file.
type Writer struct {
	out    io.Writer
	offset int64
	table  *crc32.Table

	block      []byte // header and cells of the open block
	sums       []byte
	first      []byte // key of the open block's first cell
	last       []byte // key of the last cell
	index      []byte
	blocks     int
	lastBlock  int64
	entries    int64
	keys, vals int64 // bytes
	totalPlain int64
	created    int64 // milliseconds since 1970
	previousOf map[string]int64
}

// NewWriter begins a file. Created is its time in milliseconds since 1970.
func NewWriter(out io.Writer, created int64) *Writer {
	return &Writer{
		out: out, created: created, table: crc32.MakeTable(crc32.Castagnoli), lastBlock: -1,
		block: make([]byte, header, header+blockSize+(4<<10)), previousOf: make(map[string]int64),
	}
}

// Errors of Add and Close.
var (
	ErrOrder = errors.New("cells are not in order")
	ErrCell  = errors.New("malformed cell")
	ErrEmpty = errors.New("a file has at least one cell")
)

// Add appends a cell: HBase's KeyValue, without tags. Cells come in the order of their keys.
func (w *Writer) Add(cell []byte) error {
	if len(cell) < 8 {
		return ErrCell
	}
	keys, values := int64(binary.BigEndian.Uint32(cell)), int64(binary.BigEndian.Uint32(cell[4:]))
	if 8+keys+values != int64(len(cell)) || keys < 12 {
		return ErrCell
	}
	key := cell[8 : 8+keys]
	if w.entries > 0 && compare(w.last, key) >= 0 {
		return fmt.Errorf("%w: %q follows %q", ErrOrder, key, w.last)
	}
	if len(w.block) >= header+blockSize {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if len(w.block) == header {
		w.first = append(w.first[:0], key...)
	}
	w.block = append(w.block, cell...)
	w.last = append(w.last[:0], key...)
	w.entries++
	w.keys += keys
	w.vals += values
	return nil
}

// compare compares two keys of one family: rows, then columns, then the newer first.
func compare(a, b []byte) int {
	rowA, restA := split(a)
	rowB, restB := split(b)
	if c := bytes.Compare(rowA, rowB); c != 0 {
		return c
	}
	const tail = 9
	if c := bytes.Compare(restA[:len(restA)-tail], restB[:len(restB)-tail]); c != 0 {
		return c
	}
	return -bytes.Compare(restA[len(restA)-tail:], restB[len(restB)-tail:])
}

// split divides a key into its row, and the rest from its family on.
func split(key []byte) (row, rest []byte) {
	n := min(2+int(binary.BigEndian.Uint16(key)), len(key)-9)
	return key[2:n], key[n:]
}

// flush writes the open data block and its entry in the index.
func (w *Writer) flush() error {
	at := w.offset
	size, err := w.write("DATABLK*", w.block)
	if err != nil {
		return err
	}
	w.lastBlock = at
	w.index = binary.BigEndian.AppendUint64(w.index, uint64(at))
	w.index = binary.BigEndian.AppendUint32(w.index, uint32(size))
	w.index = appendVint(w.index, int64(len(w.first)))
	w.index = append(w.index, w.first...)
	w.blocks++
	w.block = w.block[:header]
	return nil
}

// write writes a block with its checksums and returns its size. Block has room for the header at its start.
func (w *Writer) write(magic string, block []byte) (size int, err error) {
	chunks := (len(block) + chunk - 1) / chunk
	previous, ok := w.previousOf[magic]
	if !ok {
		previous = -1
	}
	w.previousOf[magic] = w.offset
	h := block[:0] // in place
	h = append(h, magic...)
	h = binary.BigEndian.AppendUint32(h, uint32(len(block)-header+4*chunks))
	h = binary.BigEndian.AppendUint32(h, uint32(len(block)-header))
	h = binary.BigEndian.AppendUint64(h, uint64(previous))
	h = append(h, checksumCRC32C)
	h = binary.BigEndian.AppendUint32(h, chunk)
	binary.BigEndian.AppendUint32(h, uint32(len(block)))
	w.sums = w.sums[:0]
	for part := range chunked(block) {
		w.sums = binary.BigEndian.AppendUint32(w.sums, crc32.Checksum(part, w.table))
	}
	w.totalPlain += int64(len(block))
	for _, b := range [][]byte{block, w.sums} {
		n, err := w.out.Write(b)
		w.offset += int64(n)
		if err != nil {
			return 0, fmt.Errorf("write block: %w", err)
		}
	}
	return len(block) + len(w.sums), nil
}

// chunked yields the parts of a block that have a checksum each.
func chunked(block []byte) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(block) > 0 {
			n := min(chunk, len(block))
			if !yield(block[:n]) {
				return
			}
			block = block[n:]
		}
	}
}

// Close writes the rest of the file. It does not close the file itself.
func (w *Writer) Close() error {
	if w.entries == 0 {
		return ErrEmpty
	}
	if err := w.flush(); err != nil {
		return err
	}
	loadOnOpen := w.offset
	if _, err := w.write("IDXROOT2", append(make([]byte, header), w.index...)); err != nil {
		return err
	}
	if _, err := w.write("IDXROOT2", make([]byte, header)); err != nil {
		return err
	}
	info := w.offset
	if _, err := w.write("FILEINF2", append(make([]byte, header), w.info()...)); err != nil {
		return err
	}
	if _, err := w.out.Write(w.trailer(loadOnOpen, info)); err != nil {
		return fmt.Errorf("write trailer: %w", err)
	}
	return nil
}

// info returns the file info: HBase's FileInfoProto.
func (w *Writer) info() []byte {
	var message []byte
	entry := func(name string, value []byte) {
		pair := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name)
		pair = protowire.AppendBytes(protowire.AppendTag(pair, 2, protowire.BytesType), value)
		message = protowire.AppendBytes(protowire.AppendTag(message, 1, protowire.BytesType), pair)
	}
	number := func(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
	average := func(sum int64) []byte { return binary.BigEndian.AppendUint32(nil, uint32(sum/w.entries)) }
	entry("BULKLOAD_TIMESTAMP", number(w.created))
	entry("hfile.AVG_KEY_LEN", average(w.keys))
	entry("hfile.AVG_VALUE_LEN", average(w.vals))
	entry("hfile.CREATE_TIME_TS", number(w.created))
	entry("hfile.LASTKEY", w.last)
	return protowire.AppendBytes([]byte("PBUF"), message)
}

// trailer returns the trailer: HBase's FileTrailerProto between its magic and the version.
func (w *Writer) trailer(loadOnOpen, info int64) []byte {
	var message []byte
	number := func(num protowire.Number, v int64) {
		message = protowire.AppendVarint(protowire.AppendTag(message, num, protowire.VarintType), uint64(v))
	}
	number(1, info)
	number(2, loadOnOpen)
	number(3, int64(len(w.index)+header))
	number(4, w.totalPlain)
	number(5, int64(w.blocks))
	number(6, 0) // meta blocks
	number(7, w.entries)
	number(8, 1) // levels of the index
	number(9, 0) // the first data block
	number(10, w.lastBlock)
	message = protowire.AppendString(protowire.AppendTag(message, 11, protowire.BytesType), "org.apache.hadoop.hbase.KeyValue$KVComparator")
	number(12, 2) // no compression
	out := protowire.AppendBytes([]byte(`TRABLK"$`), message)
	out = append(out, make([]byte, trailerSize-4-len(out))...)
	return binary.BigEndian.AppendUint32(out, version)
}

// appendVint appends a number as Hadoop's WritableUtils do.
func appendVint(b []byte, n int64) []byte {
	if n <= 127 {
		return append(b, byte(n))
	}
	size := 0
	for v := n; v > 0; v >>= 8 {
		size++
	}
	b = append(b, byte(-112-size))
	for i := size - 1; i >= 0; i-- {
		b = append(b, byte(n>>(8*i)))
	}
	return b
}
