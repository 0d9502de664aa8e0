package trace

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/benchd/benchd/internal/workload"
)

// A file begins with magic and ends with the length of its card and trailer.
const (
	magic   = "benchd trace\n"
	trailer = "end of trace\n"
)

// Info describes what a Writer cannot see in the entries.
type Info struct {
	Start  time.Time // of the first operation; zero if unknown
	Table  string
	Hashed bool
}

// Writer writes a trace. It keeps a hash of eight bytes of each distinct key, and one chunk, in memory.
type Writer struct {
	out    *bufio.Writer
	sum    hash.Hash
	at     int64 // bytes written
	err    error
	pack   *zstd.Encoder
	raw    []byte
	packed []byte

	card  Card
	index []byte
	chunk chunk
	local map[string]uint32   // keys of the chunk
	seen  map[uint64]struct{} // hashes of all keys
	codes map[workload.Kind]uint8
	rows  int64 // of the chunks written

	perChunk int // operations
}

// NewWriter starts a trace. The caller closes the Writer with Close, which writes the rest.
func NewWriter(to io.Writer) (*Writer, error) {
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("start the compression of a trace: %w", err)
	}
	w := &Writer{
		sum: sha256.New(), pack: pack, perChunk: chunkOps, card: Card{Version: Version, Mix: make(map[string]int64)},
		local: make(map[string]uint32), seen: make(map[uint64]struct{}), codes: make(map[workload.Kind]uint8),
	}
	for code, kind := range kinds() {
		w.codes[kind] = uint8(code)
	}
	w.out = bufio.NewWriterSize(io.MultiWriter(to, w.sum), 256<<10)
	w.write([]byte(magic))
	return w, nil
}

func (w *Writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
		w.at += int64(len(b))
	}
}

// Add appends an operation. Operations come in the order of their times.
func (w *Writer) Add(e Entry) error {
	code, known := w.codes[e.Kind]
	switch {
	case !known:
		return fmt.Errorf("add an operation to a trace: %s has no place in a trace", e.Kind)
	case len(e.Key) == 0 || len(e.Key) > MaxKey:
		return fmt.Errorf("add an operation to a trace: invalid key of %d bytes: want 1 to %d", len(e.Key), MaxKey)
	case e.Size < 0 || e.Size > MaxSize || e.Rows < 0 || e.Rows > MaxRows:
		return fmt.Errorf("add an operation to a trace: invalid size %d or number of rows %d: want at most %d and %d", e.Size, e.Rows, MaxSize, int64(MaxRows))
	case e.At < int64(w.card.Length) || e.At > MaxLength:
		return fmt.Errorf("add an operation to a trace: it is at %d ns, after one at %d ns", e.At, w.card.Length)
	}
	key, again := w.local[string(e.Key)]
	if !again {
		key = uint32(len(w.chunk.ends))
		w.local[string(e.Key)] = key
		w.chunk.text = append(w.chunk.text, e.Key...)
		w.chunk.ends = append(w.chunk.ends, uint32(len(w.chunk.text)))
		w.first(e, key)
	}
	w.chunk.records = append(w.chunk.records, record{at: e.At, key: key, size: int32(e.Size), rows: int32(e.Rows), kind: code})
	w.card.Ops++
	w.card.Mix[e.Kind.String()]++
	w.card.Length = time.Duration(e.At)
	count(&w.card, w.card.Length)
	w.card.LongestKey = max(w.card.LongestKey, len(e.Key))
	if writes(e.Kind) {
		w.card.LargestSize = max(w.card.LargestSize, e.Size)
	}
	if len(w.chunk.records) == w.perChunk || len(w.chunk.text) >= chunkBytes {
		w.flush()
	}
	return w.err
}

// first records a key that is new in its chunk. If it is new in the trace, too, and its first operation does not insert it, then
// the row must exist before the trace is repeated.
func (w *Writer) first(e Entry, key uint32) {
	h := Hash(e.Key)
	if _, seen := w.seen[h]; seen {
		return
	}
	w.seen[h] = struct{}{}
	w.card.Keys++
	if e.Kind == workload.Insert {
		return
	}
	size := 0
	if e.Kind != workload.Scan && e.Kind != workload.Append { // a scan has read several rows
		size = e.Size
	}
	w.chunk.fresh = append(w.chunk.fresh, fresh{key, int32(size)})
	w.card.LargestSize = max(w.card.LargestSize, size)
}

// flush writes the chunk.
func (w *Writer) flush() {
	if len(w.chunk.records) == 0 {
		return
	}
	w.raw = w.chunk.append(w.raw[:0])
	w.packed = w.pack.EncodeAll(w.raw, w.packed[:0])
	for _, n := range []uint64{uint64(w.at), uint64(len(w.packed)), uint64(len(w.chunk.records)), uint64(w.rows), uint64(w.chunk.records[0].at)} {
		w.index = binary.AppendUvarint(w.index, n)
	}
	w.rows += int64(len(w.chunk.fresh))
	w.card.Chunks++
	w.write(w.packed)
	w.chunk.reset()
	clear(w.local)
}

// Close writes the rest of the trace and returns its card. It does not close the file.
func (w *Writer) Close(info Info) (Card, error) {
	if w.card.Ops == 0 {
		return Card{}, errors.New("write trace: it has no operation")
	}
	w.flush()
	w.card.Rows, w.card.IndexAt = w.rows, w.at
	w.card.Table, w.card.Hashed = info.Table, info.Hashed
	if !info.Start.IsZero() {
		w.card.Start = info.Start.UTC().Format(time.RFC3339Nano)
	}
	w.write(w.index)
	if w.err == nil {
		w.err = w.out.Flush()
	}
	w.card.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	text := []byte(w.card.Text())
	w.write(binary.BigEndian.AppendUint32(slices.Clone(text), uint32(len(text))))
	w.write([]byte(trailer))
	if w.err == nil {
		w.err = w.out.Flush()
	}
	if w.err != nil {
		return Card{}, fmt.Errorf("write trace: %w", w.err)
	}
	return w.card, nil
}
