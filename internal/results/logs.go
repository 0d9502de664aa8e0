package results

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/wire"
)

// Bounds of the kept logs. Those of two hours of five operations in an open loop are 70 MB.
const (
	mostLogs     = 1 << 30      // bytes of all runs: beyond it, the oldest files are emptied
	mostOfLogs   = mostLogs / 4 // bytes of a run: larger ones are not kept
	logsPortion  = 64 << 10     // bytes after which an encoding is complete; one interval may have more
	mostOfEncode = wire.MaxMessage
)

var errLogsTooLarge = errors.New("the logs of the run are too large to be kept")

// Logged passes on a run's intervals as logs contain them: encodings for wire.LoggedResponse, each of some intervals. Those of an
// ended long run are kept for KeptLogs. Each encoding is valid until take returns.
func (s *Store) Logged(ctx context.Context, r *record.Run, take func(encoding []byte) error) error {
	var keep *logsFile
	if r.Archived.Status.Ended() {
		keep = s.keepLogs(r.Archived.ID, documentKey(newSuiteKey(r.Suite), r.Archived))
	}
	out := logsEncoder{take: func(encoding []byte) error {
		keep.portion(encoding)
		return take(encoding)
	}}
	windows, err := s.intervals(ctx, r, 0, out.interval)
	if err == nil {
		err = out.flush()
	}
	keep.close(err == nil && windows >= s.sealed.windows)
	return err
}

// logsEncoder makes encodings of intervals.
type logsEncoder struct {
	take   func(encoding []byte) error
	encode latency.LogEncoder
	b      []byte
}

func (e *logsEncoder) interval(iv Interval) (err error) {
	logged := latency.LoggedInterval{Phase: iv.Phase, PhaseStart: iv.PhaseStart, Start: iv.Start, End: iv.End, Series: make([]latency.LoggedSeries, len(iv.Series))}
	for i, series := range iv.Series {
		if logged.Series[i], err = e.encode.Series(series); err != nil {
			return fmt.Errorf("encode log of %s: %w", series.Key, err)
		}
	}
	if e.b, err = wire.AppendLogged(e.b, logged); err != nil {
		return fmt.Errorf("encode logs: %w", err)
	}
	if len(e.b) < logsPortion {
		return nil
	}
	return e.flush()
}

// flush passes on the intervals that have not been yet.
func (e *logsEncoder) flush() error {
	if len(e.b) == 0 {
		return nil
	}
	err := e.take(e.b)
	e.b = e.b[:0]
	return err
}

// logsFile is a file of logs that is being written. A nil one takes everything and keeps nothing.
type logsFile struct {
	*sealing
	sealed *sealed
	bytes  int64
}

func (s *Store) keepLogs(run, key string) *logsFile {
	f := s.sealed.create(run, sealedLogs, key)
	if f == nil {
		return nil
	}
	return &logsFile{sealing: f, sealed: s.sealed}
}

// portion writes an encoding with its length.
func (f *logsFile) portion(encoding []byte) {
	if f == nil {
		return
	}
	f.write(func(out io.Writer) error {
		if f.bytes += int64(len(encoding)); f.bytes > f.sealed.mostOfLogs {
			return errLogsTooLarge
		}
		if _, err := out.Write(binary.AppendUvarint(nil, uint64(len(encoding)))); err != nil {
			return err
		}
		_, err := out.Write(encoding)
		return err
	})
}

// close puts the file in its place, or drops it, and empties older ones. An empty file is in the place of logs that are too large.
func (f *logsFile) close(keep bool) {
	if f == nil {
		return
	}
	f.sealing.close(keep)
	if keep && errors.Is(f.err, errLogsTooLarge) {
		_ = os.WriteFile(f.path, nil, 0o600) // without it, the next maintenance tries again
	}
	f.sealed.boundLogs()
}

// boundLogs empties the oldest files of logs, until all together are small enough. Maintenance makes logs again that have no file at
// all.
func (s *sealed) boundLogs() {
	type file struct {
		path string
		info os.FileInfo
	}
	var files []file
	var sum int64
	paths, _ := filepath.Glob(filepath.Join(s.dir, "*."+sealedLogs))
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && !strings.HasPrefix(info.Name(), ".") {
			files = append(files, file{path, info})
			sum += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b file) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, f := range files {
		if sum <= s.mostLogs {
			return
		}
		if err := os.Truncate(f.path, 0); err == nil {
			sum -= f.info.Size()
		}
	}
}

// KeptLogs are the intervals of an ended long run as logs contain them. Close releases their file.
type KeptLogs struct {
	file *sealedFile
	in   *bufio.Reader
}

// KeptLogs returns the logs that were kept of a run; nil if there are none. A damaged file counts as none.
func (s *Store) KeptLogs(r *record.Run) *KeptLogs {
	key := documentKey(newSuiteKey(r.Suite), r.Archived)
	whole := s.sealed.open(r.Archived.ID, sealedLogs, key)
	if whole == nil {
		return nil
	}
	_, err := io.Copy(io.Discard, whole) // its sum is at the end
	whole.close()
	f := s.sealed.open(r.Archived.ID, sealedLogs, key)
	if f == nil {
		return nil
	}
	if err != nil {
		f.close()
		return nil
	}
	return &KeptLogs{file: f, in: bufio.NewReaderSize(f, logsPortion)}
}

// Next returns the next encoding, which the caller may keep, and io.EOF after the last.
func (k *KeptLogs) Next() ([]byte, error) {
	size, err := binary.ReadUvarint(k.in)
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	if err == nil && size > mostOfEncode {
		err = fmt.Errorf("%d bytes of an interval", size)
	}
	if err != nil {
		return nil, fmt.Errorf("read kept logs: %w", err)
	}
	encoding := make([]byte, size)
	if _, err := io.ReadFull(k.in, encoding); err != nil {
		return nil, fmt.Errorf("read kept logs: %w", err)
	}
	return encoding, nil
}

// Close closes the file.
func (k *KeptLogs) Close() { k.file.close() }
