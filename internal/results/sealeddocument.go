package results

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// keepWithin bounds a request for a record: windows of a run in progress are stored after it.
const keepWithin = 5 * time.Second

// none reports whether nothing can be kept.
func (s *sealed) none() bool { return s.dir == "" && s.records == nil }

// recordOf returns the name of the record with a run's document. The program is a part of it, so that the names show which documents are those of
// this program.
func (s *sealed) recordOf(run string) (string, error) {
	program, err := s.program()
	return archive.KeptResults + program + "/" + run, err
}

// ofRecord returns the program and the run of a record's name.
func ofRecord(name string) (program, run string) {
	program, run, _ = strings.Cut(strings.TrimPrefix(name, archive.KeptResults), "/")
	return program, run
}

// text returns the JSON of the document of a key; nil if there is none.
func (s *sealed) text(ctx context.Context, run, key string) []byte {
	if text := s.recorded(ctx, run, key); text != nil {
		return text
	}
	f := s.open(run, sealedDocument, key) // also with records: it may be larger than one
	if f == nil {
		return nil
	}
	defer f.close()
	text, err := io.ReadAll(f)
	if err != nil {
		return nil
	}
	return text
}

// recorded returns the JSON of the document of a key in a record; nil if there is none.
func (s *sealed) recorded(ctx context.Context, run, key string) []byte {
	if s.records == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, keepWithin)
	defer cancel()
	name, err := s.recordOf(run)
	var content []byte
	if err == nil {
		content, err = s.records.Kept(ctx, name)
	}
	if err != nil {
		if !errors.Is(err, archive.ErrNotFound) {
			s.log.Warn("read the result that was kept of a run", "run", run, "error", err)
		}
		return nil
	}
	unpacked := s.unpack(bytes.NewReader(content), key)
	if unpacked == nil {
		return nil
	}
	text, err := io.ReadAll(unpacked) // checks the sum of all
	if err != nil {
		return nil
	}
	return text
}

// document returns the document of a key, and the size of its JSON.
func (s *sealed) document(ctx context.Context, run, key string) (doc result.Run, size int64, ok bool) {
	text := s.text(ctx, run, key)
	return doc, int64(len(text)), text != nil && json.Unmarshal(text, &doc) == nil
}

// hasDocument reports whether there is the document of a key.
func (s *sealed) hasDocument(ctx context.Context, run, key string) bool {
	return s.has(run, sealedDocument, key) || s.recorded(ctx, run, key) != nil
}

// keepDocument keeps the document of a key, and returns the size of its JSON; 0 if nothing is kept. One that cannot be kept is only logged: it saves
// time.
func (s *sealed) keepDocument(ctx context.Context, key string, doc result.Run) (size int64) {
	if s.none() {
		return 0
	}
	text, err := json.Marshal(doc)
	large := s.records == nil
	if err == nil && !large {
		large, err = s.keepRecord(ctx, doc.ID, key, text)
	}
	switch {
	case err == nil && large:
		f := s.create(doc.ID, sealedDocument, key)
		f.write(func(out io.Writer) error {
			_, err := out.Write(text)
			return err
		})
		f.close(true)
		s.failing.Store(f != nil && f.err != nil)
	case err == nil:
		s.failing.Store(false)
		if path, ok := s.path(doc.ID, sealedDocument); ok {
			_ = os.Remove(path) // of an earlier program, or archive
		}
	default:
		s.failing.Store(true)
		s.log.Log(ctx, severity(err), "keep the result of a run", "run", doc.ID, "error", err)
	}
	return int64(len(text))
}

// severity returns how an error of records is logged. The next leader does what a former one could not.
func severity(err error) slog.Level {
	if errors.Is(err, archive.ErrFenced) {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}

// keepRecord keeps a document in a record, unless it is too large for one.
func (s *sealed) keepRecord(ctx context.Context, run, key string, text []byte) (large bool, err error) {
	head, err := s.head(key)
	if err != nil {
		return false, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		return false, err
	}
	_, err = io.Copy(w, io.MultiReader(strings.NewReader(head), bytes.NewReader(text)))
	if err = errors.Join(err, w.Close()); err != nil || packed.Len() > s.mostOfRecord {
		return true, err
	}
	name, err := s.recordOf(run)
	if err != nil {
		return false, err
	}
	ctx, cancel := recording(ctx)
	defer cancel()
	return false, s.records.Keep(ctx, name, packed.Bytes())
}

// recording bounds a change of records, which is completed even if the caller has left.
func recording(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), keepWithin)
}

// made returns the runs of which there are documents of this program, and the other programs that have records.
func (s *sealed) made(ctx context.Context) (runs map[string]bool, others []string, err error) {
	runs = make(map[string]bool)
	own, err := s.program()
	if err != nil {
		return nil, nil, err
	}
	for _, path := range s.files("*." + sealedDocument) {
		if programOf(path) == own {
			runs[strings.TrimSuffix(filepath.Base(path), "."+sealedDocument)] = true
		}
	}
	if s.records == nil {
		return runs, nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, keepWithin)
	defer cancel()
	names, err := s.records.KeptNames(ctx, archive.KeptResults)
	if err != nil {
		return nil, nil, err
	}
	strangers := make(map[string]bool)
	for _, name := range names {
		if program, run := ofRecord(name); program == own {
			runs[run] = true
		} else {
			strangers[program] = true
		}
	}
	return runs, slices.Sorted(maps.Keys(strangers)), nil
}

// programOf returns the program that has made a file. It reads no more than the head of thousands of them.
func programOf(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	var start [512]byte
	n, err := io.ReadFull(file, start[:])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return ""
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(start[:n]))
	if err != nil {
		return ""
	}
	var head [64]byte
	n, _ = io.ReadFull(unpacked, head[:]) // the rest is not there
	program, _, _ := strings.Cut(string(head[:n]), " ")
	return program
}

// files returns the paths of complete files.
func (s *sealed) files(pattern string) []string {
	if s.dir == "" {
		return nil
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.Warn("list what was computed of runs", "directory", s.dir, "error", err)
	}
	var paths []string
	for _, e := range entries {
		if match, _ := filepath.Match(pattern, e.Name()); match && !strings.HasPrefix(e.Name(), ".") {
			paths = append(paths, filepath.Join(s.dir, e.Name()))
		}
	}
	return paths
}

// forget removes what is kept of some suites.
func (s *sealed) forget(ctx context.Context, gone func(suite string) bool) error {
	for _, path := range s.files("*") {
		if gone(record.SuiteOf(filepath.Base(path))) {
			_ = os.Remove(path) // the next start tries again
		}
	}
	if s.records == nil {
		return nil
	}
	within, cancel := recording(ctx)
	defer cancel()
	names, err := s.records.KeptNames(within, archive.KeptResults)
	if err != nil {
		return fmt.Errorf("remove the results that were kept of removed suites: %w", err)
	}
	suites := make(map[string]bool)
	for _, name := range names {
		program, run := ofRecord(name)
		if suite := record.SuiteOf(run); suite != "" && gone(suite) {
			suites[archive.KeptResults+program+"/"+suite+"."] = true // the dot, as another suite's id may begin with this one
		}
	}
	return s.drop(ctx, slices.Sorted(maps.Keys(suites)))
}

// dropPrograms removes the documents of other programs.
func (s *sealed) dropPrograms(ctx context.Context, programs []string) error {
	prefixes := make([]string, 0, len(programs))
	for _, program := range programs {
		prefixes = append(prefixes, archive.KeptResults+program+"/")
	}
	return s.drop(ctx, prefixes)
}

func (s *sealed) drop(ctx context.Context, prefixes []string) error {
	for _, prefix := range prefixes {
		within, cancel := recording(ctx)
		err := s.records.Drop(within, prefix)
		cancel()
		if err != nil {
			return fmt.Errorf("remove the results in %s: %w", prefix, err)
		}
	}
	return nil
}
