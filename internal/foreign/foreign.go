package foreign

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/result"
)

// Format is the format of a file.
type Format string

// The formats.
const (
	YCSBText Format = "ycsb-text" // of YCSB's TextMeasurementsExporter, with or without its status lines
	YCSBJSON Format = "ycsb-json" // of its JSON exporters
	HLog     Format = "hlog"      // an HdrHistogram interval log
)

// File is a file of a run.
type File struct {
	Name    string
	Content []byte
}

// Stated is what the user states, because no file has it.
type Stated struct {
	Loop  string        // open or closed
	Phase string        // load or measure
	Unit  time.Duration // of the values in logs
}

// Validate checks what the user states.
func (s Stated) Validate() error {
	switch {
	case s.Loop != "" && s.Loop != "open" && s.Loop != "closed":
		return fmt.Errorf("invalid loop %q: want open or closed", clean(s.Loop))
	case s.Phase != "" && s.Phase != "load" && s.Phase != "measure":
		return fmt.Errorf("invalid phase %q: want load or measure", clean(s.Phase))
	case s.Unit != 0 && s.Unit != time.Nanosecond && s.Unit != time.Microsecond && s.Unit != time.Millisecond:
		return fmt.Errorf("invalid unit %s: want ns, us or ms", s.Unit)
	}
	return nil
}

// Bounds on the files of a run.
const (
	MaxFiles = 64
	MaxBytes = 64 << 20 // of all files together
	maxLine  = 8 << 20
	maxName  = 255
)

// UnknownError reports that a file has no known format.
type UnknownError struct {
	Name string
	Line int    // from 1; 0 for a file without a line
	Text string // of the line
}

// Error names the first line, and the formats.
func (e *UnknownError) Error() string {
	const want = "want the text or JSON output of YCSB, or an HdrHistogram log"
	if e.Line == 0 {
		return fmt.Sprintf("%s: it is empty: %s", e.Name, want)
	}
	return fmt.Sprintf("%s: line %d: not a line of a known result: %q: %s", e.Name, e.Line, e.Text, want)
}

// lineError is an error in a line of a file.
type lineError struct {
	file string
	line int
	err  error
}

func (e *lineError) Error() string { return fmt.Sprintf("%s: line %d: %v", e.file, e.line, e.err) }

func (e *lineError) Unwrap() error { return e.err }

// FormatOf recognizes the format of a file.
func FormatOf(f File) (Format, error) {
	text := bytes.TrimSpace(f.Content)
	switch {
	case isLog(text):
		return HLog, nil
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("[")) && !bytes.HasPrefix(text, []byte("[OVERALL]")) && isArray(text):
		if isExport(text) {
			return YCSBJSON, nil
		}
	case isText(text):
		return YCSBText, nil
	}
	first, number := firstLine(f.Content)
	return "", &UnknownError{Name: f.Name, Line: number, Text: first}
}

// firstLine is the first line that is not empty, and its number.
func firstLine(content []byte) (string, int) {
	number := 0
	for line := range bytes.Lines(content) {
		number++
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return clean(string(line[:min(len(line), 80)])), number
		}
	}
	return "", 0
}

// Read makes the result of a run from its files. It has no ID, name or date: those are the archive's.
func Read(files []File, stated Stated) (result.Run, error) {
	if len(files) == 0 || len(files) > MaxFiles {
		return result.Run{}, fmt.Errorf("%d files of a run: want 1 to %d", len(files), MaxFiles)
	}
	total := 0
	for _, f := range files {
		total += len(f.Content)
	}
	if total > MaxBytes {
		return result.Run{}, fmt.Errorf("the files of the run have %d MiB: at most %d are read", total>>20, MaxBytes>>20)
	}
	r := &reader{stated: stated, properties: make(map[string]string)}
	for _, f := range files {
		f.Name = nameOf(f.Name)
		format, err := FormatOf(f)
		if err != nil {
			return result.Run{}, err
		}
		switch format {
		case HLog:
			err = r.log(f)
		case YCSBJSON:
			err = r.export(f)
		case YCSBText:
			err = r.text(f)
		}
		if err != nil {
			return result.Run{}, err
		}
		sum := sha256.Sum256(f.Content)
		r.files = append(r.files, result.ForeignFile{Name: f.Name, Format: string(format), Bytes: int64(len(f.Content)), SHA256: hex.EncodeToString(sum[:])})
	}
	run, err := r.run()
	if err != nil {
		return result.Run{}, fmt.Errorf("%s: %w", r.names(), err)
	}
	if err := Check(&run); err != nil {
		return result.Run{}, fmt.Errorf("%s: %w", r.names(), err)
	}
	return run, nil
}

func (r *reader) names() string {
	names := make([]string, len(r.files))
	for i, f := range r.files {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}

// nameOf is the name of a file without its folder, as it can be printed.
func nameOf(path string) string {
	name := clean(filepath.Base(strings.ReplaceAll(path, `\`, "/")))
	return name[:min(len(name), maxName)]
}

// clean leaves out what is no part of a line for people.
func clean(s string) string {
	return strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, s), "?")
}

// reader gathers what the files of a run contain.
type reader struct {
	stated     Stated
	files      []result.ForeignFile
	ycsb, own  bool // a file is certainly of YCSB, or of benchd
	version    string
	loads      []bool // of each command line: it has -load
	unread     bool   // a command line names a file of properties
	properties map[string]string
	written    []*sheet // of text and exporters, in their order
	logs       []*logFile
	status     []statusLine
	warnings   []string
}

// warn adds a sentence for readers of the result, once.
func (r *reader) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(r.warnings, text) && len(r.warnings) < maxWarnings {
		r.warnings = append(r.warnings, text)
	}
}

const maxWarnings = 100
