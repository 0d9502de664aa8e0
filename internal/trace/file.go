package trace

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/benchd/benchd/internal/workload"
)

const (
	maxCard  = 1 << 20
	maxIndex = 1 << 30
)

// ErrFormat reports a file that is not a whole trace.
var ErrFormat = errors.New("not a trace of benchctl capture, or not a whole one")

// File is a trace that is open for reading. Its methods may be called from several goroutines.
type File struct {
	Card   Card
	from   io.ReaderAt
	index  []place
	unpack *zstd.Decoder
	kinds  []workload.Kind
	body   int64 // bytes before the card
}

// place is where a chunk is.
type place struct {
	at, length int64
	ops        int64
	rows       int64 // of the chunks before it
	begin      int64 // ns
}

// Is reports whether a file begins as a trace does.
func Is(from io.ReaderAt) bool {
	head := make([]byte, len(magic))
	_, err := from.ReadAt(head, 0)
	return err == nil && string(head) == magic
}

// Open reads the card and the index of a trace of a number of bytes.
func Open(from io.ReaderAt, size int64) (*File, error) {
	f := &File{from: from, kinds: kinds()}
	text, err := f.readCard(size)
	if err != nil {
		return nil, err
	}
	if f.Card, err = ParseCard(text); err != nil {
		return nil, err
	}
	if err := f.readIndex(); err != nil {
		return nil, err
	}
	f.unpack, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxChunk))
	if err != nil {
		return nil, fmt.Errorf("open trace: %w", err)
	}
	return f, nil
}

// OpenVerified opens a trace, reads all of it, and compares it with the card that it must have.
func OpenVerified(from io.ReaderAt, size int64, want Card) (*File, error) {
	f, err := Open(from, size)
	if err != nil {
		return nil, err
	}
	if err := f.Verify(); err != nil {
		return nil, err
	}
	if f.Card.ID() != want.ID() {
		return nil, fmt.Errorf("%w: its card is another one", ErrFormat)
	}
	return f, nil
}

// readCard returns the text of the card, which is at the end of the file.
func (f *File) readCard(size int64) ([]byte, error) {
	head, tail := make([]byte, len(magic)), make([]byte, 4+len(trailer))
	if size < int64(len(head)+len(tail)) {
		return nil, ErrFormat
	}
	if _, err := f.from.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("read trace: %w", err)
	}
	if _, err := f.from.ReadAt(tail, size-int64(len(tail))); err != nil {
		return nil, fmt.Errorf("read trace: %w", err)
	}
	length := int64(binary.BigEndian.Uint32(tail))
	f.body = size - int64(len(tail)) - length
	if string(head) != magic || string(tail[4:]) != trailer || length > maxCard || f.body < int64(len(head)) {
		return nil, ErrFormat
	}
	text := make([]byte, length)
	if _, err := f.from.ReadAt(text, f.body); err != nil {
		return nil, fmt.Errorf("read the card of a trace: %w", err)
	}
	return text, nil
}

func (f *File) readIndex() error {
	length := f.body - f.Card.IndexAt
	if length < int64(f.Card.Chunks) || length > maxIndex || int64(f.Card.Chunks) > length/5+1 {
		return fmt.Errorf("%w: the index of %d chunks has %d bytes", ErrFormat, f.Card.Chunks, length)
	}
	raw := make([]byte, length)
	if _, err := f.from.ReadAt(raw, f.Card.IndexAt); err != nil {
		return fmt.Errorf("read the index of a trace: %w", err)
	}
	d := decoder{rest: raw}
	var ops, begin int64
	for range f.Card.Chunks {
		p := place{
			at: int64(d.number(uint64(f.Card.IndexAt))), length: int64(d.number(maxChunk)), ops: int64(d.number(chunkOps)),
			rows: int64(d.number(uint64(f.Card.Rows))), begin: int64(d.number(uint64(f.Card.Length))),
		}
		if d.bad || p.at+p.length > f.Card.IndexAt || p.begin < begin || len(f.index) > 0 && p.rows < f.index[len(f.index)-1].rows {
			return fmt.Errorf("%w: its index is damaged", ErrFormat)
		}
		ops, begin = ops+p.ops, p.begin
		f.index = append(f.index, p)
	}
	if ops != f.Card.Ops || len(d.rest) > 0 {
		return fmt.Errorf("%w: its index has %d operations, and its card %d", ErrFormat, ops, f.Card.Ops)
	}
	return nil
}

// Verify reads the whole file and compares it with the checksum of its card.
func (f *File) Verify() error {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f.from, 0, f.body)); err != nil {
		return fmt.Errorf("read trace: %w", err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != f.Card.SHA256 {
		return fmt.Errorf("%w: its checksum is %s, and its card demands %s", ErrFormat, got, f.Card.SHA256)
	}
	return nil
}

// read reads a chunk.
func (f *File) read(i int, c *chunk) error {
	return f.decode(i, c, c.decode, func() error {
		if p := f.index[i]; int64(len(c.records)) != p.ops {
			return fmt.Errorf("%w: it has %d operations, and the index %d", errChunk, len(c.records), p.ops)
		}
		return nil
	})
}

// readRows reads only the rows of a chunk that a load writes.
func (f *File) readRows(i int, c *chunk) error {
	return f.decode(i, c, c.decodeRows, func() error {
		after := f.Card.Rows
		if i+1 < len(f.index) {
			after = f.index[i+1].rows
		}
		if p := f.index[i]; int64(len(c.fresh)) != after-p.rows {
			return fmt.Errorf("%w: it has %d rows, and the index %d", errChunk, len(c.fresh), after-p.rows)
		}
		return nil
	})
}

func (f *File) decode(i int, c *chunk, decode func([]byte) error, check func() error) error {
	p := f.index[i]
	packed := make([]byte, p.length)
	_, err := f.from.ReadAt(packed, p.at)
	var raw []byte
	if err == nil {
		raw, err = f.unpack.DecodeAll(packed, nil)
	}
	if err == nil {
		err = decode(raw)
	}
	if err == nil {
		err = check()
	}
	if err == nil {
		err = c.checkKeys(f.Card)
	}
	if err != nil {
		return fmt.Errorf("read chunk %d of the trace: %w", i, err)
	}
	return nil
}

// checkKeys compares the lengths of keys with the card, which readers rely on.
func (c *chunk) checkKeys(card Card) error {
	begin := uint32(0)
	for _, end := range c.ends {
		if n := int(end - begin); n == 0 || n > card.LongestKey || card.Hashed && n != HashBytes {
			return fmt.Errorf("%w: a key of %d bytes", errChunk, n)
		}
		begin = end
	}
	return nil
}

// Each calls f with all operations, in order. The key is valid during the call.
func (f *File) Each(yield func(Entry) error) error {
	var c chunk
	for i := range f.index {
		if err := f.read(i, &c); err != nil {
			return err
		}
		for _, r := range c.records {
			if err := yield(Entry{At: r.at, Kind: f.kinds[r.kind], Key: c.key(r.key), Size: int(r.size), Rows: int(r.rows)}); err != nil {
				return err
			}
		}
	}
	return nil
}
