package sqlite

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
	portableMagic   = "benchd suite\n"
	portableVersion = 1
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

// portableTable is a table as a file declares it.
type portableTable struct {
	name    string
	columns []string
}

// portableWriter writes the format.
type portableWriter struct {
	out  *bufio.Writer
	sum  hash.Hash
	line []byte
}

func newPortableWriter(out io.Writer, tables []portableTable) (*portableWriter, error) {
	w := &portableWriter{sum: sha256.New()}
	w.out = bufio.NewWriterSize(io.MultiWriter(out, w.sum), 64<<10)
	b := []byte(portableMagic)
	b = binary.AppendUvarint(b, portableVersion)
	b = binary.AppendUvarint(b, uint64(len(tables)))
	for _, t := range tables {
		b = appendText(b, t.name)
		b = binary.AppendUvarint(b, uint64(len(t.columns)))
		for _, c := range t.columns {
			b = appendText(b, c)
		}
	}
	_, err := w.out.Write(b)
	return w, err
}

func appendText[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// row writes a row of the table with an index.
func (w *portableWriter) row(table int, values []any) error {
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

// end writes the checksum.
func (w *portableWriter) end() error {
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

// portableError describes a file that is not an exported suite, or is damaged.
type portableError struct {
	kind error
	text string
}

func (e *portableError) Error() string { return e.text }
func (e *portableError) Unwrap() error { return e.kind }

func damaged(format string, args ...any) error {
	return &portableError{archive.ErrDamaged, fmt.Sprintf(format, args...)}
}

// portableReader reads the format, and trusts none of its input.
type portableReader struct {
	in     *bufio.Reader
	sum    hash.Hash
	left   int64
	tables []portableTable
}

func newPortableReader(in io.Reader) (*portableReader, error) {
	r := &portableReader{in: bufio.NewReaderSize(in, 64<<10), sum: sha256.New(), left: maxPortable}
	magic := make([]byte, len(portableMagic))
	if err := r.full(magic); err != nil || string(magic) != portableMagic {
		return nil, damaged("it is not a suite exported by benchctl")
	}
	version, err := r.number(math.MaxUint32)
	if err != nil {
		return nil, err
	}
	if version != portableVersion {
		return nil, &portableError{archive.ErrNewer, fmt.Sprintf("it was exported by a newer benchd (its format has version %d, this benchd supports up to %d)", version, portableVersion)}
	}
	tables, err := r.number(maxTables)
	if err != nil {
		return nil, err
	}
	for range tables {
		var t portableTable
		if t.name, err = r.name(); err != nil {
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
			t.columns = append(t.columns, c)
		}
		r.tables = append(r.tables, t)
	}
	return r, nil
}

// next reads a row, and returns the index of its table; after the last row it checks the checksum and returns io.EOF.
func (r *portableReader) next() (table int, values []any, err error) {
	at, err := r.number(uint64(len(r.tables)))
	if err != nil {
		return 0, nil, err
	}
	if at == 0 {
		return 0, nil, r.finish()
	}
	t := r.tables[at-1]
	values = make([]any, len(t.columns))
	before := r.left
	for i := range values {
		if values[i], err = r.value(); err != nil {
			return 0, nil, err
		}
		if before-r.left > maxRow {
			return 0, nil, damaged("a row of table %s has more than %d MiB", t.name, maxRow>>20)
		}
	}
	return int(at - 1), values, nil
}

func (r *portableReader) finish() error {
	want := r.sum.Sum(nil)
	got := make([]byte, len(want))
	if err := r.full(got); err != nil {
		return err
	}
	if !bytes.Equal(want, got) {
		return damaged("its checksum is wrong")
	}
	_, err := r.in.ReadByte()
	if err == nil {
		return damaged("it has data after its end")
	}
	return err
}

// full fills b.
func (r *portableReader) full(b []byte) error {
	if r.left -= int64(len(b)); r.left < 0 {
		return damaged("its content has more than %d GiB", maxPortable>>30)
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
		return damaged("it is truncated")
	}
	return err
}

// ReadByte implements io.ByteReader, for varints.
func (r *portableReader) ReadByte() (byte, error) {
	var b [1]byte
	err := r.full(b[:])
	return b[0], err
}

func (r *portableReader) number(most uint64) (uint64, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, numberError(err)
	}
	if n > most {
		return 0, damaged("a number in it is too large")
	}
	return n, nil
}

func numberError(err error) error {
	if _, ours := errors.AsType[*portableError](err); ours || err == nil {
		return err
	}
	if err.Error() == "binary: varint overflows a 64-bit integer" {
		return damaged("a number in it is too large")
	}
	return err
}

func (r *portableReader) name() (string, error) {
	b, err := r.bytes(maxName)
	return string(b), err
}

// bytes reads a text or blob. It allocates memory for received bytes, not for the announced length.
func (r *portableReader) bytes(most uint64) ([]byte, error) {
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

func (r *portableReader) value() (any, error) {
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
			err = damaged("a value in it is not a number")
		}
		return v, err
	case valueText:
		b, err := r.bytes(maxValue)
		return string(b), err
	case valueBlob:
		return r.bytes(maxValue)
	}
	return nil, damaged("it has a value of unknown kind %d", kind)
}
