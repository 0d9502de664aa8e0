package spool

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func open(t *testing.T, dir string, o Options) *Spool {
	t.Helper()
	s, err := tryOpen(dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func tryOpen(dir string, o Options) (*Spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o700); err != nil { // the tester's umask may let a group write
		return nil, err
	}
	folder, err := Folder(dir)
	if err != nil {
		return nil, err
	}
	return Open(folder, o)
}

func record(i int) []byte { return bytes.Repeat([]byte{byte(i), byte(i >> 8)}, 100+i%50) }

func left(s *Spool) (records [][]byte, places []Place) {
	for p, r := range s.Left() {
		records, places = append(records, r), append(places, p)
	}
	return records, places
}

// segments counts the files of a spool.
func segments(t *testing.T, dir string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	require.NoError(t, err)
	return len(files)
}

// die leaves a spool as a killed process does, without Close.
func die(t *testing.T, s *Spool) {
	t.Helper()
	require.NoError(t, s.lock.Close())
}

func TestRecordsSurviveTheirProcessInOrder(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{SegmentBytes: 2000})
	var want [][]byte
	for i := range 100 {
		p, err := s.Add(record(i))
		require.NoError(t, err)
		got, err := s.Read(p)
		require.NoError(t, err)
		require.Equal(t, record(i), got)
		if i%3 == 0 || i < 40 {
			s.Remove(p)
		} else {
			want = append(want, record(i))
		}
	}
	require.Greater(t, segments(t, dir), 5)
	require.NoError(t, s.Sweep())
	die(t, s)

	again := open(t, dir, Options{})
	require.Zero(t, again.Damage())
	got, places := left(again)
	for _, w := range want {
		require.True(t, slices.ContainsFunc(got, func(g []byte) bool { return bytes.Equal(g, w) }), "what was needed is there")
	}
	require.Less(t, len(got), 75, "whole segments that nobody needed are gone")
	require.True(t, slices.IsSortedFunc(places, func(a, b Place) int {
		if a.segment != b.segment {
			return int(a.segment) - int(b.segment)
		}
		return int(a.offset - b.offset)
	}))
	next, err := again.Add([]byte("new"))
	require.NoError(t, err)
	require.Greater(t, next.segment, places[len(places)-1].segment, "what was left is not written to")
	for _, p := range places {
		again.Remove(p)
	}
	again.Remove(next)
	require.NoError(t, again.Close())
	_, err = os.Stat(dir)
	require.ErrorIs(t, err, os.ErrNotExist, "a spool with nothing in it leaves nothing behind")
}

func TestTornRecordsAreLeftOutAndCounted(t *testing.T) {
	for name, spoil := range map[string]func(content []byte, last int) []byte{
		"cut in the header":  func(c []byte, last int) []byte { return c[:last+3] },
		"cut in the record":  func(c []byte, last int) []byte { return c[:last+headerSize+5] },
		"a bit is wrong":     func(c []byte, last int) []byte { c[last+headerSize+2] ^= 4; return c },
		"a length too large": func(c []byte, last int) []byte { c[last+3] = 0xff; return c },
		"a length of zero":   func(c []byte, last int) []byte { copy(c[last:], []byte{0, 0, 0, 0}); return c },
		"zeros at the end":   func(c []byte, last int) []byte { return append(c[:last], make([]byte, 64)...) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, Options{})
			var last Place
			for i := range 4 {
				var err error
				last, err = s.Add(record(i))
				require.NoError(t, err)
			}
			die(t, s)
			path := filepath.Join(dir, segmentName(last.segment))
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			content = spoil(content, int(last.offset))
			require.NoError(t, os.WriteFile(path, content, 0o600))

			again := open(t, dir, Options{})
			got, _ := left(again)
			require.Equal(t, [][]byte{record(0), record(1), record(2)}, got)
			require.EqualValues(t, len(content)-int(last.offset), again.Damage())
		})
	}
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, segmentName(7)), []byte("not a segment"), 0o600))
	s := open(t, dir, Options{})
	got, _ := left(s)
	require.Empty(t, got)
	require.EqualValues(t, len("not a segment"), s.Damage())
	require.NoError(t, s.Close())
	content, err := os.ReadFile(filepath.Join(dir, "notes.txt"))
	require.NoError(t, err)
	require.Equal(t, "mine", string(content))
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	_, err := tryOpen(dir, Options{})
	require.ErrorIs(t, err, ErrLocked)
	require.EqualError(t, err, "open spool "+dir+": spool directory is in use by process "+strconv.Itoa(os.Getpid()))
	require.NoError(t, s.Close())
	open(t, dir, Options{})
}

func TestAFullDiskRefusesRecordsUntilThereIsSpace(t *testing.T) {
	free := uint64(10_000)
	s := open(t, t.TempDir(), Options{Spare: 9000, Free: func(string) uint64 { return free }})
	_, err := s.Add(make([]byte, 900))
	require.NoError(t, err)
	free = 9500
	_, err = s.Add(make([]byte, 900))
	require.ErrorIs(t, err, ErrFull)
	free = 10_000
	p, err := s.Add(make([]byte, 900))
	require.NoError(t, err)
	_, err = s.Read(p)
	require.NoError(t, err)
}

func TestAWriteThatFailsLeavesNoTrace(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	first, err := s.Add(record(1))
	require.NoError(t, err)
	broken := s.segment(first.segment)
	writable := broken.file
	readable, err := os.Open(filepath.Join(dir, broken.name))
	require.NoError(t, err)
	broken.file = readable // whose writes fail
	_, err = s.Add(record(2))
	require.Error(t, err)
	require.NoError(t, writable.Close())

	third, err := s.Add(record(3))
	require.NoError(t, err, "another segment takes over")
	require.NotEqual(t, first.segment, third.segment)
	die(t, s)
	got, _ := left(open(t, dir, Options{}))
	require.Equal(t, [][]byte{record(1), record(3)}, got)
}

func TestRecordsBeyondTheBoundsAreRefused(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	for _, size := range []int{0, MaxRecord + 1} {
		_, err := s.Add(make([]byte, size))
		require.Error(t, err, size)
	}
}

// TestRecordsBeforeDamageAreRead damages a byte at a random position: all records before it in its segment, and in other
// segments, are read back unchanged.
func TestRecordsBeforeDamageAreRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 50 {
		dir := filepath.Join(t.TempDir(), strconv.Itoa(round))
		s := open(t, dir, Options{SegmentBytes: 1000})
		var places []Place
		for i := range 20 {
			p, err := s.Add(record(i))
			require.NoError(t, err)
			places = append(places, p)
		}
		die(t, s)
		hit := places[rng.IntN(len(places))]
		path := filepath.Join(dir, segmentName(hit.segment))
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		at := int(hit.offset) + rng.IntN(len(content)-int(hit.offset))
		content[at] ^= byte(1 + rng.IntN(255))
		require.NoError(t, os.WriteFile(path, content, 0o600))

		again := open(t, dir, Options{})
		got := maps.Collect(again.Left())
		for i, p := range places {
			if p.segment != hit.segment || p.offset < hit.offset {
				require.Equal(t, record(i), got[p])
			} else if r, ok := got[p]; ok {
				require.Equal(t, record(i), r, "what is read is what was written")
			}
		}
	}
}

func FuzzSegment(f *testing.F) {
	dir := f.TempDir()
	s, err := tryOpen(dir, Options{})
	require.NoError(f, err)
	for i := range 3 {
		_, err := s.Add(record(i))
		require.NoError(f, err)
	}
	require.NoError(f, s.lock.Close())
	content, err := os.ReadFile(filepath.Join(dir, segmentName(1)))
	require.NoError(f, err)
	f.Add(content)
	f.Add(content[:len(content)-3])
	f.Add([]byte(magic))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, segmentName(1)), content, 0o600))
		s, err := tryOpen(dir, Options{})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		total := int64(0)
		for p, r := range s.Left() {
			total += int64(len(r))
			s.Remove(p)
		}
		require.LessOrEqual(t, total+s.Damage(), int64(len(content)))
	})
}

// blockedFile is a file whose writes wait for the test.
type blockedFile struct {
	File
	writes chan chan struct{}
}

// WriteAt writes once the test lets it.
func (f *blockedFile) WriteAt(p []byte, off int64) (int, error) {
	goOn := make(chan struct{})
	f.writes <- goOn
	<-goOn
	return f.File.WriteAt(p, off)
}

func TestReadingAndRemovingDoNotWaitForASlowWrite(t *testing.T) {
	writes := make(chan chan struct{})
	s := open(t, t.TempDir(), Options{Wrap: func(file File) File { return &blockedFile{file, writes} }})
	var places []Place
	add := func() (added chan struct{}) {
		added = make(chan struct{})
		go func() {
			defer close(added)
			p, err := s.Add(record(len(places)))
			assert.NoError(t, err)
			places = append(places, p)
		}()
		return added
	}
	added := add()
	close(<-writes) // the head of the segment
	close(<-writes)
	<-added
	added = add()
	slow := <-writes
	got, err := s.Read(places[0])
	require.NoError(t, err)
	require.Equal(t, record(0), got)
	before := s.Bytes()
	s.Remove(places[0])
	close(slow)
	<-added
	require.Greater(t, s.Bytes(), before)
	got, err = s.Read(places[1])
	require.NoError(t, err)
	require.Equal(t, record(1), got)
}
