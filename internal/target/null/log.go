package null

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"

	"github.com/benchd/benchd/internal/workload"
)

// logBuffer is how many bytes a session buffers before it writes.
const logBuffer = 64 << 10

var errForbidden = errors.New("this agent does not allow runs to write files: start it with --write-below DIR (benchd agent, benchd dev, benchctl run)")

// openLog opens a file below a folder for appending, which keeps lines whole when several agents of a machine share it. A
// relative path is relative to the folder. Files outside the folder cannot be opened, not even through links.
func openLog(folder, path string) (*os.File, error) {
	if folder == "" {
		return nil, errForbidden
	}
	if filepath.IsAbs(path) {
		top, err := filepath.Abs(folder)
		if err != nil {
			return nil, err
		}
		if path, err = filepath.Rel(top, path); err != nil {
			return nil, err
		}
	}
	if !filepath.IsLocal(path) {
		return nil, fmt.Errorf("it is not below %s, the only folder in which runs may write files (--write-below)", folder)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	file, err := root.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return file, errors.Join(err, root.Close())
}

// log writes a line for each operation, with fields separated by spaces: the agent, the shard, the worker, the kind, the key
// (keys of a batch separated by commas), the outcome, begin and end in Unix nanoseconds, and the CRC-32C of the operation's
// other parameters. The times are those of the machine, not the agent's corrected ones.
type log struct {
	target *System
	head   string // prefix of every line
	buf    []byte
	zero   int64 // Unix time of the target's birth
	table  *crc32.Table
	number []byte // scratch space of sum
	err    error  // the first one; after it nothing is written
}

func newLog(t *System, worker int) *log {
	return &log{
		target: t,
		head:   t.agent + " " + strconv.Itoa(t.shard) + " " + strconv.Itoa(worker) + " ",
		buf:    make([]byte, 0, logBuffer+4096),
		zero:   t.birth.UnixNano(),
		table:  crc32.MakeTable(crc32.Castagnoli),
		number: make([]byte, 0, 2*binary.MaxVarintLen64),
	}
}

func (l *log) add(op *workload.Op, code workload.Code, begin, end int64) {
	b := l.buf
	b = append(b, l.head...)
	b = append(b, op.Kind.String()...)
	b = append(b, ' ')
	b = append(b, op.Key...)
	for i, k := range op.Keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, k...)
	}
	b = append(b, ' ')
	b = append(b, code.String()...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, l.zero+begin, 10)
	b = append(b, ' ')
	b = strconv.AppendInt(b, l.zero+end, 10)
	b = append(b, ' ')
	b = strconv.AppendUint(b, uint64(l.sum(op)), 16)
	b = append(b, '\n')
	l.buf = b
	if len(l.buf) >= logBuffer {
		l.flush()
	}
}

// sum returns a checksum that distinguishes operations on the same keys: by the names and values of their fields, the length of
// a scan and the amount of an increment. It includes lengths, so that the boundaries between values count, too.
func (l *log) sum(op *workload.Op) uint32 {
	l.number = binary.AppendVarint(l.number[:0], int64(op.ScanLength))
	l.number = binary.AppendVarint(l.number, op.Delta)
	crc := crc32.Update(0, l.table, l.number)
	for _, list := range [...][][]byte{op.Fields, op.ReadFields, op.Values} {
		l.number = binary.AppendUvarint(l.number[:0], uint64(len(list)))
		crc = crc32.Update(crc, l.table, l.number)
		for _, b := range list {
			l.number = binary.AppendUvarint(l.number[:0], uint64(len(b)))
			crc = crc32.Update(crc, l.table, l.number)
			crc = crc32.Update(crc, l.table, b)
		}
	}
	return crc
}

// flush writes whole lines in one call.
func (l *log) flush() {
	if l.err == nil && len(l.buf) > 0 {
		if _, err := l.target.log.Write(l.buf); err != nil {
			l.err = fmt.Errorf("write log of operations %s (null.log): %w", l.target.settings.LogPath, err)
		}
	}
	l.buf = l.buf[:0]
}

func (l *log) close() error {
	l.flush()
	return l.err
}
