package portable

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"

	"github.com/benchd/benchd/internal/archive"
)

// A suite is exported as one file, compressed by gzip: the magic, the version of the format, the tables with their columns,
// then rows, each preceded by the number of its table. A row of a child table follows its parent row; references to parents,
// and numbers that are specific to an archive, are left out. A zero and the SHA-256 of everything before it end the file.
//
// Numbers are unsigned varints; a text or blob is preceded by its length, a value by its kind.
const (
	formatMagic   = "benchd suite\n"
	formatVersion = 1
)

// Bounds on a file.
const (
	maxTables  = 64
	maxColumns = 256
	maxName    = 64
	maxValue   = 64 << 20 // bytes: a submission with its attachments
	maxRow     = 64 << 20 // bytes of all values of a row
	// maxPortable bounds the unpacked size of a file. A year of a large fleet is less.
	maxPortable = 64 << 30
	// maxRatio bounds the unpacked size in relation to that of the file, beyond what is small anyway. Histograms, which are most of a large
	// file, are packed already and shrink little.
	maxRatio  = 100
	ratioFrom = 256 << 20
)

// The kinds of values.
const (
	valueNull = iota
	valueInteger
	valueReal
	valueText
	valueBlob
)

// Table is a table as a file declares it.
type Table struct {
	Name    string
	Columns []string
}

// Writer writes the format.
type Writer struct {
	out  *bufio.Writer
	sum  hash.Hash
	line []byte
}

// NewWriter begins a file of these tables. The caller compresses it.
func NewWriter(out io.Writer, tables []Table) (*Writer, error) {
	w := &Writer{sum: sha256.New()}
	w.out = bufio.NewWriterSize(io.MultiWriter(out, w.sum), 64<<10)
	b := []byte(formatMagic)
	b = binary.AppendUvarint(b, formatVersion)
	b = binary.AppendUvarint(b, uint64(len(tables)))
	for _, t := range tables {
		b = appendText(b, t.Name)
		b = binary.AppendUvarint(b, uint64(len(t.Columns)))
		for _, c := range t.Columns {
			b = appendText(b, c)
		}
	}
	_, err := w.out.Write(b)
	return w, err
}

func appendText[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// Row writes a row of the table with an index: nil, int64, float64, string and []byte for each column.
func (w *Writer) Row(table int, values []any) error {
	b := binary.AppendUvarint(w.line[:0], uint64(table+1))
	for _, value := range values {
		switch v := value.(type) {
		case nil:
			b = append(b, valueNull)
		case int64:
			b = binary.AppendVarint(append(b, valueInteger), v)
		case float64:
			b = binary.LittleEndian.AppendUint64(append(b, valueReal), math.Float64bits(v))
		case string:
			b = appendText(append(b, valueText), v)
		case []byte:
			b = appendText(append(b, valueBlob), v)
		default:
			return fmt.Errorf("write a value of type %T", value)
		}
	}
	w.line = b
	_, err := w.out.Write(b)
	return err
}

// End writes the checksum.
func (w *Writer) End() error {
	if err := w.out.WriteByte(0); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil { // the checksum covers everything before itself
		return err
	}
	if _, err := w.out.Write(w.sum.Sum(nil)); err != nil {
		return err
	}
	return w.out.Flush()
}

// fileError describes a file that is not an exported suite, or is damaged.
type fileError struct {
	kind error
	text string
}

func (e *fileError) Error() string { return e.text }
func (e *fileError) Unwrap() error { return e.kind }

// Damaged returns the error of a damaged file; its text describes the damage.
func Damaged(format string, args ...any) error {
	return &fileError{archive.ErrDamaged, fmt.Sprintf(format, args...)}
}

// Reader reads the format, and trusts none of its input.
type Reader struct {
	in     *bufio.Reader
	sum    hash.Hash
	left   int64
	tables []Table
}

// NewReader reads the head of a file that is not compressed any more.
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(in, 64<<10), sum: sha256.New(), left: maxPortable}
	magic := make([]byte, len(formatMagic))
	if err := r.full(magic); err != nil || string(magic) != formatMagic {
		return nil, Damaged("it is not a suite exported by benchctl")
	}
	version, err := r.number(math.MaxUint32)
	if err != nil {
		return nil, err
	}
	if version != formatVersion {
		return nil, &fileError{archive.ErrNewer, fmt.Sprintf("it was exported by a newer benchd (its format has version %d, this benchd supports up to %d)", version, formatVersion)}
	}
	tables, err := r.number(maxTables)
	if err != nil {
		return nil, err
	}
	for range tables {
		var t Table
		if t.Name, err = r.name(); err != nil {
			return nil, err
		}
		columns, err := r.number(maxColumns)
		if err != nil {
			return nil, err
		}
		for range columns {
			c, err := r.name()
			if err != nil {
				return nil, err
			}
			t.Columns = append(t.Columns, c)
		}
		r.tables = append(r.tables, t)
	}
	return r, nil
}

// Tables are those of the file.
func (r *Reader) Tables() []Table { return r.tables }

// Next reads a row, and returns the index of its table; after the last row it checks the checksum and returns io.EOF.
func (r *Reader) Next() (table int, values []any, err error) {
	at, err := r.number(uint64(len(r.tables)))
	if err != nil {
		return 0, nil, err
	}
	if at == 0 {
		return 0, nil, r.finish()
	}
	t := r.tables[at-1]
	values = make([]any, len(t.Columns))
	before := r.left
	for i := range values {
		if values[i], err = r.value(); err != nil {
			return 0, nil, err
		}
		if before-r.left > maxRow {
			return 0, nil, Damaged("a row of table %s has more than %d MiB", t.Name, maxRow>>20)
		}
	}
	return int(at - 1), values, nil
}

func (r *Reader) finish() error {
	want := r.sum.Sum(nil)
	got := make([]byte, len(want))
	if err := r.full(got); err != nil {
		return err
	}
	if !bytes.Equal(want, got) {
		return Damaged("its checksum is wrong")
	}
	_, err := r.in.ReadByte()
	if err == nil {
		return Damaged("it has data after its end")
	}
	return err
}

// full fills b.
func (r *Reader) full(b []byte) error {
	if r.left -= int64(len(b)); r.left < 0 {
		return Damaged("its content has more than %d GiB", maxPortable>>30)
	}
	if _, err := io.ReadFull(r.in, b); err != nil {
		return cutShort(err)
	}
	r.sum.Write(b)
	return nil
}

// cutShort keeps errors of the source, and turns a premature end into an error of the file.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return Damaged("it is truncated")
	}
	return err
}

// ReadByte implements io.ByteReader, for varints.
func (r *Reader) ReadByte() (byte, error) {
	var b [1]byte
	err := r.full(b[:])
	return b[0], err
}

func (r *Reader) number(most uint64) (uint64, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, numberError(err)
	}
	if n > most {
		return 0, Damaged("a number in it is too large")
	}
	return n, nil
}

func numberError(err error) error {
	if _, ours := errors.AsType[*fileError](err); ours || err == nil {
		return err
	}
	if err.Error() == "binary: varint overflows a 64-bit integer" {
		return Damaged("a number in it is too large")
	}
	return err
}

func (r *Reader) name() (string, error) {
	b, err := r.bytes(maxName)
	return string(b), err
}

// bytes reads a text or blob. It allocates memory for received bytes, not for the announced length.
func (r *Reader) bytes(most uint64) ([]byte, error) {
	n, err := r.number(most)
	if err != nil {
		return nil, err
	}
	const portion = 64 << 10
	b := make([]byte, 0, min(n, portion))
	for uint64(len(b)) < n {
		have := len(b)
		b = append(b, make([]byte, min(n-uint64(have), portion))...)
		if err := r.full(b[have:]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (r *Reader) value() (any, error) {
	kind, err := r.ReadByte()
	if err != nil {
		return nil, err
	}
	switch kind {
	case valueNull:
		return nil, nil
	case valueInteger:
		v, err := binary.ReadVarint(r)
		return v, numberError(err)
	case valueReal:
		var b [8]byte
		err := r.full(b[:])
		v := math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
		if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			err = Damaged("a value in it is not a number")
		}
		return v, err
	case valueText:
		b, err := r.bytes(maxValue)
		return string(b), err
	case valueBlob:
		return r.bytes(maxValue)
	}
	return nil, Damaged("it has a value of unknown kind %d", kind)
}
