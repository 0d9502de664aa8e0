package results

import (
	"bufio"
	"compress/gzip"
	"encoding/gob"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/latency"
)

// sealedWindows is how many windows a run must have to be sealed: to read those of a smaller one takes less than a second.
const sealedWindows = 2000

// sealedDocuments is how many windows a run must have for its document to be kept: a suite can have hundreds of such runs, and its result takes
// the documents of all.
const sealedDocuments = 100

// sealed keeps what is computed from all windows of ended runs in files, so that it is computed once, and not again after a restart
// or for each report: the document of a run, its histograms in the columns of charts, the points of its series, and the course of its agents. Each file begins with a key, which
// identifies its input and the program that computed it. Files that cannot be read, or have another key, are made again. Documents are records of
// the archive instead, if it keeps some.
type sealed struct {
	dir     string
	records archive.Keeper // nil: documents are files
	log     *slog.Logger
	program func() (string, error) // its fingerprint
	clean   func()                 // removes what was not completed before a restart, once
	failing atomic.Bool            // the last document could not be kept

	windows              int // that a run must have
	documents            int // likewise, for its document alone
	mostLogs, mostOfLogs int64
	mostOfRecord         int // bytes
}

// The kinds of sealed files.
const (
	sealedDocument = "document"
	sealedColumns  = "columns"
	sealedPoints   = "points"
	sealedAgents   = "agents"
	sealedLogs     = "logs"
)

func newSealed(dir string, records archive.Keeper, log *slog.Logger) *sealed {
	s := &sealed{dir: dir, records: records, log: log, program: sync.OnceValues(fingerprint), windows: sealedWindows, documents: sealedDocuments, mostLogs: mostLogs, mostOfLogs: mostOfLogs, mostOfRecord: archive.MaxKept}
	s.clean = sync.OnceFunc(func() {
		left, _ := filepath.Glob(filepath.Join(dir, incomplete))
		for _, path := range left {
			_ = os.Remove(path)
		}
	})
	return s
}

// incomplete are the names of files that are being written.
const incomplete = ".sealing-*"

// fingerprint identifies the running program by its content: another build may compute more. A program has a hundred megabytes, so that a
// cryptographic sum would be most of the time of the first request.
func fingerprint() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	sums := [...]hash.Hash32{crc32.NewIEEE(), crc32.New(crc32.MakeTable(crc32.Castagnoli))}
	size, err := io.Copy(io.MultiWriter(sums[0], sums[1]), file)
	return fmt.Sprintf("%x-%08x%08x", size, sums[0].Sum32(), sums[1].Sum32()), err
}

// path is the file of a run; false if there is none.
func (s *sealed) path(run, kind string) (string, bool) {
	name := run + "." + kind
	return filepath.Join(s.dir, name), s.dir != "" && filepath.Base(name) == name && !strings.HasPrefix(name, ".")
}

// head is the first line of a file.
func (s *sealed) head(key string) (string, error) {
	program, err := s.program()
	return program + " " + key + "\n", err
}

// open opens the file of a key. It returns nil if there is none.
func (s *sealed) open(run, kind, key string) *sealedFile {
	path, ok := s.path(run, kind)
	if !ok {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	if unpacked := s.unpack(bufio.NewReaderSize(file, 1<<16), key); unpacked != nil {
		return &sealedFile{file: file, unpacked: unpacked}
	}
	_ = file.Close()
	return nil
}

// unpack reads up to the end of the head of a key. It returns nil if there is another head, or none.
func (s *sealed) unpack(from io.Reader, key string) *gzip.Reader {
	want, err := s.head(key)
	if err != nil {
		return nil
	}
	unpacked, err := gzip.NewReader(from)
	if err != nil {
		return nil
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(unpacked, got); err != nil || string(got) != want {
		return nil
	}
	return unpacked
}

// has reports whether there is a file of a key.
func (s *sealed) has(run, kind, key string) bool {
	f := s.open(run, kind, key)
	if f == nil {
		return false
	}
	f.close()
	return true
}

// tried reports whether there is a file, of whatever key and content.
func (s *sealed) tried(run, kind string) bool {
	path, ok := s.path(run, kind)
	if !ok {
		return false
	}
	_, err := os.Stat(path)
	return err == nil
}

// sealedFile is a file that is being read.
type sealedFile struct {
	file     *os.File
	unpacked *gzip.Reader
}

// Read reads what was kept. At its end it checks the sum of all.
func (f *sealedFile) Read(b []byte) (int, error) { return f.unpacked.Read(b) }

func (f *sealedFile) close() { _ = f.file.Close() }

// create begins the file of a key, which keep completes. A file that cannot be written is only logged: it saves time.
func (s *sealed) create(run, kind, key string) *sealing {
	path, ok := s.path(run, kind)
	if !ok {
		return nil
	}
	f := &sealing{path: path, log: s.log}
	f.err = func() error {
		head, err := s.head(key)
		if err == nil {
			err = os.MkdirAll(s.dir, 0o700)
		}
		if err != nil {
			return err
		}
		s.clean()
		if f.file, err = os.CreateTemp(s.dir, incomplete); err != nil {
			return err
		}
		level := gzip.BestSpeed
		if kind != sealedDocument {
			level = gzip.NoCompression // histograms shrink little, and inflating would be half of the time of a report
		}
		if f.packed, err = gzip.NewWriterLevel(f.file, level); err != nil {
			return err
		}
		_, err = io.WriteString(f.packed, head)
		return err
	}()
	return f
}

// sealing is a file that is being written. A nil one takes everything and keeps nothing.
type sealing struct {
	path   string
	log    *slog.Logger
	file   *os.File
	packed *gzip.Writer
	err    error
}

func (f *sealing) write(write func(io.Writer) error) {
	if f != nil && f.err == nil {
		f.err = write(f.packed)
	}
}

// close puts the file in its place, or drops it.
func (f *sealing) close(keep bool) {
	if f == nil {
		return
	}
	if f.file != nil {
		if keep && f.err == nil {
			f.err = errors.Join(f.packed.Close(), f.file.Close())
			if f.err == nil {
				f.err = os.Rename(f.file.Name(), f.path)
			}
		}
		if !keep || f.err != nil {
			_ = f.file.Close()
			_ = os.Remove(f.file.Name())
		}
	}
	if f.err != nil {
		f.log.Warn("keep what was computed of a long run", "file", f.path, "error", f.err)
	}
}

// storedInterval is an Interval in a file.
type storedInterval struct {
	Phase      string
	PhaseStart time.Time
	Start, End time.Duration
	Tail       bool
	Series     []storedSeries
}

// storedSeries is a series in a file.
type storedSeries struct {
	Key               latency.Key
	Response, Service []byte // Service is empty if it equals Response
}

func toStored(iv Interval) (storedInterval, error) {
	out := storedInterval{Phase: iv.Phase, PhaseStart: iv.PhaseStart, Start: iv.Start, End: iv.End, Tail: iv.Tail}
	for _, s := range iv.Series {
		stored := storedSeries{Key: s.Key}
		var err error
		if stored.Response, err = s.Response.AppendBinary(nil); err != nil {
			return out, err
		}
		if s.Service != s.Response {
			if stored.Service, err = s.Service.AppendBinary(nil); err != nil {
				return out, err
			}
		}
		out.Series = append(out.Series, stored)
	}
	return out, nil
}

func fromStored(from storedInterval) (Interval, error) {
	iv := Interval{Phase: from.Phase, PhaseStart: from.PhaseStart, Start: from.Start, End: from.End, Tail: from.Tail}
	for _, s := range from.Series {
		series := latency.Series{Key: s.Key}
		var err error
		if series.Response, err = latency.KnownHistogram(s.Response); err != nil {
			return iv, err
		}
		series.Service = series.Response
		if len(s.Service) > 0 {
			if series.Service, err = latency.KnownHistogram(s.Service); err != nil {
				return iv, err
			}
		}
		iv.Series = append(iv.Series, series)
	}
	return iv, nil
}

// intervals reads intervals to the end of a file, all of them before the first is passed on: a file may be damaged, which its sum
// shows at the end.
func (f *sealedFile) intervals() ([]Interval, error) {
	var list []Interval
	in := gob.NewDecoder(bufio.NewReader(f))
	for {
		var stored storedInterval
		err := in.Decode(&stored)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read intervals: %w", err)
		}
		iv, err := fromStored(stored)
		if err != nil {
			return nil, err
		}
		list = append(list, iv)
	}
}
