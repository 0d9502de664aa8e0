package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

const (
	magic      = "benchd spool 1\n\n" // the first bytes of a segment
	headerSize = 8                    // of a record: its length, and the checksum of its bytes
	suffix     = ".spool"
)

// File is a segment's file, as os.Root.OpenFile returns it.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
}

// MaxRecord is the largest record in bytes.
const MaxRecord = 64 << 20

var errTorn = errors.New("torn record")

// segment is one file of records.
type segment struct {
	number uint64
	name   string
	file   File
	size   int64 // of the complete records
	live   int   // needed records
	sealed bool  // it takes no more records
}

func segmentName(number uint64) string { return fmt.Sprintf("%016d%s", number, suffix) }

// numberOf is the number in a segment's file name.
func numberOf(name string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	if !ok || len(digits) != 16 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil
}

func (s *Spool) openFile(name string, flag int) (File, error) {
	file, err := s.folder.OpenFile(name, flag, 0o600)
	if err != nil || s.options.Wrap == nil {
		return file, err
	}
	return s.options.Wrap(file), nil
}

// create begins an empty segment.
func (s *Spool) create(number uint64) (*segment, error) {
	name := segmentName(number)
	file, err := s.openFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteAt([]byte(magic), 0); err != nil {
		return nil, errors.Join(err, file.Close(), s.folder.Remove(name))
	}
	return &segment{number: number, name: name, file: file, size: int64(len(magic))}, nil
}

// load reads a segment of an earlier process and counts its records. A torn end is damage.
func (s *Spool) load(number uint64) (found *segment, damage int64, err error) {
	name := segmentName(number)
	file, err := s.openFile(name, os.O_RDONLY)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	found = &segment{number: number, name: name, file: file, sealed: true}
	head := make([]byte, len(magic))
	if _, err := file.ReadAt(head, 0); err != nil || string(head) != magic {
		return found, info.Size(), nil //nolint:nilerr // a foreign or unfinished file has no records
	}
	found.size = int64(len(magic))
	for found.size < info.Size() {
		record, err := found.read(found.size)
		if errors.Is(err, errTorn) {
			break
		}
		if err != nil {
			return nil, 0, errors.Join(err, file.Close())
		}
		found.size += headerSize + int64(len(record))
		found.live++
	}
	return found, info.Size() - found.size, nil
}

// read reads the record at offset.
func (s *segment) read(offset int64) ([]byte, error) {
	var header [headerSize]byte
	if _, err := s.file.ReadAt(header[:], offset); err != nil {
		return nil, tornAtEnd(err)
	}
	length := binary.LittleEndian.Uint32(header[:])
	if length == 0 || length > MaxRecord {
		return nil, errTorn
	}
	if info, err := s.file.Stat(); err != nil {
		return nil, err
	} else if offset+headerSize+int64(length) > info.Size() {
		return nil, errTorn // allocate no memory for a damaged length
	}
	record := make([]byte, length)
	if _, err := s.file.ReadAt(record, offset+headerSize); err != nil {
		return nil, tornAtEnd(err)
	}
	if checksum(record) != binary.LittleEndian.Uint32(header[4:]) {
		return nil, errTorn
	}
	return record, nil
}

func tornAtEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return errTorn
	}
	return err
}

// write appends a record without counting it. It truncates an incomplete one again; torn reports that this failed.
func (s *segment) write(buffer, record []byte) (size int64, torn bool, err error) {
	buffer = binary.LittleEndian.AppendUint32(buffer[:0], uint32(len(record)))
	buffer = binary.LittleEndian.AppendUint32(buffer, checksum(record))
	buffer = append(buffer, record...)
	if _, err := s.file.WriteAt(buffer, s.size); err != nil {
		return 0, s.file.Truncate(s.size) != nil, err
	}
	return int64(len(buffer)), false, nil
}

// discard closes and removes a segment's file.
func (s *Spool) discard(one *segment) error {
	return errors.Join(one.file.Close(), s.folder.Remove(one.name))
}

func checksum(record []byte) uint32 {
	return crc32.Checksum(record, crc32.MakeTable(crc32.Castagnoli))
}
