package spool

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
)

// ErrLocked reports that another process uses the directory.
var ErrLocked = errors.New("spool directory is in use by another process")

// ErrFull reports that the disk has no space to spare.
var ErrFull = errors.New("the spool's disk is nearly full")

var errGone = errors.New("the record was removed")

// Options are a Spool's settings.
type Options struct {
	// SegmentBytes is the size at which a new segment begins. Default 4 MiB.
	SegmentBytes int64
	// Free returns the free bytes on the disk of a directory, and Spare is how many of them to leave to others. Default:
	// no check.
	Free  func(dir string) uint64
	Spare uint64
	// Wrap wraps the file of a segment, for tests. Optional.
	Wrap func(File) File
}

const (
	defaultSegmentBytes = 4 << 20
	lockName            = "lock"
)

// Place is the position of a record. The zero value is invalid.
type Place struct {
	segment uint64
	offset  int64
}

// Valid reports whether p is the position of a record.
func (p Place) Valid() bool { return p.segment > 0 }

// Spool is a directory of records. Its methods are safe for concurrent use.
type Spool struct {
	folder  *os.Root
	options Options
	lock    *os.File
	damage  int64
	found   []uint64 // the segments of an earlier process

	adding sync.Mutex // held while the disk is written: a segment's file, its size and seal, and newest change under it
	buffer []byte     // of the record being written

	mu       sync.Mutex // never held while the disk works: removing and counting do not wait for a slow one
	segments map[uint64]*segment
	newest   uint64 // the number of the newest segment, sealed or not; written under both locks
	empty    []*segment
}

// Open opens a folder, which the Spool closes. The folder belongs to the user of this process, as Folder returns it.
func Open(folder *os.Root, options Options) (*Spool, error) {
	options.SegmentBytes = cmp.Or(options.SegmentBytes, defaultSegmentBytes)
	lock, err := lockFolder(folder)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open spool %s: %w", folder.Name(), err), folder.Close())
	}
	s := &Spool{folder: folder, options: options, lock: lock, segments: make(map[uint64]*segment)}
	if err := s.scan(); err != nil {
		return nil, errors.Join(fmt.Errorf("open spool %s: %w", folder.Name(), err), s.Close())
	}
	return s, nil
}

func lockFolder(folder *os.Root) (*os.File, error) {
	file, err := folder.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = lockedBy(file)
		}
		return nil, errors.Join(err, file.Close())
	}
	if err := errors.Join(file.Truncate(0), writePID(file)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// LockedError reports which process uses a directory. It is an ErrLocked.
type LockedError struct {
	PID int // 0 if unknown
}

// Error names the process.
func (e *LockedError) Error() string {
	if e.PID == 0 {
		return ErrLocked.Error()
	}
	return fmt.Sprintf("spool directory is in use by process %d", e.PID)
}

// Unwrap returns the kind.
func (*LockedError) Unwrap() error { return ErrLocked }

func writePID(lock *os.File) error {
	_, err := lock.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	return err
}

// lockedBy reads the process that wrote itself into a lock file.
func lockedBy(lock *os.File) error {
	text := make([]byte, 20)
	n, _ := lock.ReadAt(text, 0)
	pid, _ := strconv.Atoi(string(text[:n]))
	return &LockedError{PID: pid}
}

// scan finds the segments of an earlier process.
func (s *Spool) scan() error {
	entries, err := fs.ReadDir(s.folder.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		number, ok := numberOf(e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		segment, damage, err := s.load(number)
		if err != nil {
			return err
		}
		s.damage += damage
		s.newest = max(s.newest, number)
		if segment.live == 0 {
			if err := s.discard(segment); err != nil {
				return err
			}
			continue
		}
		s.segments[number] = segment
		s.found = append(s.found, number)
	}
	slices.Sort(s.found)
	return nil
}

// Damage is how many bytes of an earlier process are not complete records.
func (s *Spool) Damage() int64 { return s.damage }

// Left yields the records of an earlier process, oldest first. It must be called before any is removed.
func (s *Spool) Left() iter.Seq2[Place, []byte] {
	return func(yield func(Place, []byte) bool) {
		for _, number := range s.found {
			segment := s.segment(number)
			if segment == nil {
				continue
			}
			for offset := int64(len(magic)); offset < segment.size; {
				record, err := segment.read(offset)
				if err != nil {
					break // Open could read it: the disk is failing, and later records cannot be found
				}
				if !yield(Place{number, offset}, record) {
					return
				}
				offset += headerSize + int64(len(record))
			}
		}
	}
}

func (s *Spool) segment(number uint64) *segment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.segments[number]
}

// Add writes a record and returns its place. A record has 1 to MaxRecord bytes.
func (s *Spool) Add(record []byte) (Place, error) {
	if len(record) == 0 || len(record) > MaxRecord {
		return Place{}, fmt.Errorf("spool record of %d bytes: want 1 to %d", len(record), MaxRecord)
	}
	s.adding.Lock()
	defer s.adding.Unlock()
	if s.options.Free != nil {
		if free := s.options.Free(s.folder.Name()); free < s.options.Spare+uint64(len(record)) {
			return Place{}, fmt.Errorf("spool record in %s, which has %d bytes free: %w", s.folder.Name(), free, ErrFull)
		}
	}
	newest, err := s.open()
	if err != nil {
		return Place{}, fmt.Errorf("begin spool segment: %w", err)
	}
	s.buffer = slices.Grow(s.buffer[:0], headerSize+len(record))
	size, torn, err := newest.write(s.buffer, record)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if torn {
			newest.sealed = true
			s.retire(newest)
		}
		return Place{}, fmt.Errorf("spool record: %w", err)
	}
	place := Place{newest.number, newest.size}
	newest.size += size
	newest.live++
	return place, nil
}

// open returns the segment for the next record, a new one if necessary. The caller must hold adding.
func (s *Spool) open() (*segment, error) {
	s.mu.Lock()
	newest := s.segments[s.newest]
	if newest != nil && !newest.sealed && newest.size >= s.options.SegmentBytes {
		newest.sealed = true
		s.retire(newest)
	}
	s.mu.Unlock()
	if newest != nil && !newest.sealed {
		return newest, nil
	}
	next, err := s.create(s.newest + 1)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest = next.number
	s.segments[next.number] = next
	return next, nil
}

// Read reads a record that has not been removed.
func (s *Spool) Read(p Place) ([]byte, error) {
	segment := s.segment(p.segment)
	if segment == nil {
		return nil, errGone
	}
	record, err := segment.read(p.offset)
	if err != nil {
		return nil, fmt.Errorf("read spooled record: %w", err)
	}
	return record, nil
}

// Remove marks a record as no longer needed. It only counts: Sweep frees the disk.
func (s *Spool) Remove(p Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	segment := s.segments[p.segment]
	if segment == nil {
		return
	}
	segment.live--
	s.retire(segment)
}

// retire sets aside a segment without needed records, for Sweep. The caller must hold mu.
func (s *Spool) retire(segment *segment) {
	if segment.live > 0 || !segment.sealed {
		return
	}
	delete(s.segments, segment.number)
	s.empty = append(s.empty, segment)
}

// Sweep removes the segments without needed records, including the newest.
func (s *Spool) Sweep() error {
	s.adding.Lock()
	defer s.adding.Unlock()
	s.mu.Lock()
	if newest := s.segments[s.newest]; newest != nil && newest.live == 0 {
		newest.sealed = true
		s.retire(newest)
	}
	empty := s.empty
	s.empty = nil
	s.mu.Unlock()
	var problems []error
	for _, segment := range empty {
		problems = append(problems, s.discard(segment))
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("sweep spool: %w", err)
	}
	return nil
}

// Bytes is the size of the spool on the disk.
func (s *Spool) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var sum int64
	for _, segment := range s.segments {
		sum += segment.size
	}
	for _, segment := range s.empty {
		sum += segment.size
	}
	return sum
}

// Close sweeps and unlocks the directory. Needed records stay there for the next process; an empty directory is removed.
func (s *Spool) Close() error {
	problems := []error{s.Sweep()}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, segment := range s.segments {
		problems = append(problems, segment.file.Close())
	}
	if len(s.segments) == 0 && errors.Join(problems...) == nil {
		// While the lock is held no other process can use the directory.
		_ = s.folder.Remove(lockName)
		_ = os.Remove(s.folder.Name())
	}
	clear(s.segments)
	return errors.Join(append(problems, s.lock.Close(), s.folder.Close())...)
}
