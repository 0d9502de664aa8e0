// Package audit keeps a log of who changed what, and of what was refused.
//
//  1. Open opens the log: a file with one JSON record a line, beside older ones that Write has rotated.
//  2. A call begins with an Entry in its context (Begin); its handler adds the target and other details (Note).
//  3. Write appends the record of an ended call. Refusals of the same peer that repeat within a second are counted in one record,
//     so that a peer cannot push the others out of the log.
//  4. Read returns the records, the oldest first.
package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Outcome is how a call ended.
type Outcome string

// The outcomes.
const (
	Done    Outcome = "done"
	Failed  Outcome = "failed"
	Refused Outcome = "refused"
)

// Record is a line of the log. Fields are only ever added.
type Record struct {
	Time    time.Time         `json:"time"` // of the end of the call
	Who     string            `json:"who"`  // empty where the coordinator asks nobody for an identity
	Role    string            `json:"role"`
	Serial  string            `json:"serial,omitempty"`  // of the peer's certificate
	Claims  string            `json:"claims,omitempty"`  // who the peer says that it is, where that is not verified
	From    string            `json:"from"`              // the peer's address
	Call    string            `json:"call"`              // such as Submit, or GET /metrics
	Details map[string]string `json:"details,omitempty"` // suite, target, table, action …
	Outcome Outcome           `json:"outcome"`
	Reason  string            `json:"reason,omitempty"`
	// Times counts refusals that the record stands for; 0 means one.
	Times int `json:"times,omitempty"`
}

// Options configures a Log.
type Options struct {
	Logger     *slog.Logger          // default: none
	Registerer prometheus.Registerer // default: none
	FileBytes  int64                 // size at which a file is rotated; default 32 MiB
	Files      int                   // rotated files that are kept; default 16
}

const (
	defaultFileBytes = 32 << 20
	defaultFiles     = 16
	// foldWithin is how long refusals are counted instead of written.
	foldWithin = time.Second
	// maxFolded bounds the kinds of refusals that are counted each by itself, and maxKinds those of one peer in a second: it makes up as
	// many paths as it likes. All others are counted together.
	maxFolded = 1024
	maxKinds  = 64
	// maxText bounds each text of a record.
	maxText = 1024
)

// Log is an audit log.
type Log struct {
	path    string
	options Options
	failed  prometheus.Counter

	mu     sync.Mutex
	file   *os.File
	size   int64
	folded map[fold]*Record

	kinds   map[fold]int // of refusals of a peer, without their calls, since counted
	counted time.Time
}

// fold is what refusals have in common that are counted in one record.
type fold struct{ who, role, from, call string }

// Open opens the log at a path, and creates it if it does not exist.
func Open(path string, o Options) (*Log, error) {
	o.FileBytes, o.Files = cmp.Or(o.FileBytes, defaultFileBytes), cmp.Or(o.Files, defaultFiles)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	l := &Log{
		path: path, options: o, folded: make(map[fold]*Record), kinds: make(map[fold]int),
		failed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "benchd_audit_write_failures_total", Help: "Records of the audit log that could not be written.",
		}),
	}
	if o.Registerer != nil {
		o.Registerer.MustRegister(l.failed)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("create the folder of the audit log: %w", err)
	}
	if err := l.open(); err != nil {
		return nil, err
	}
	return l, nil
}

// open opens the file and ends a line that a crash has left incomplete.
func (l *Log) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open the audit log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("open the audit log: %w", err), f.Close())
	}
	l.file, l.size = f, info.Size()
	last := make([]byte, 1)
	if l.size > 0 {
		if _, err := f.ReadAt(last, l.size-1); err == nil && last[0] != '\n' {
			_, err = f.WriteString("\n")
			if err != nil {
				return errors.Join(fmt.Errorf("repair the audit log: %w", err), f.Close())
			}
			l.size++
		}
	}
	return nil
}

// Write appends a record. A record that cannot be written is counted and logged: the call has ended already.
func (l *Log) Write(r Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush(r.Time)
	if r.Outcome == Refused && l.fold(r) {
		return
	}
	l.append(r)
}

// fold counts a refusal if the log has one like it of the last second.
func (l *Log) fold(r Record) bool {
	host := r.From
	if i := strings.LastIndexByte(host, ':'); i > 0 {
		host = host[:i] // a new connection has another port
	}
	k := fold{r.Who, r.Role, host, r.Call}
	if counted := l.folded[k]; counted != nil {
		counted.Times++
		counted.Reason, counted.Details = r.Reason, r.Details
		return true
	}
	peer := fold{who: r.Who, role: r.Role, from: host}
	if len(l.folded) < maxFolded && l.kinds[peer] < maxKinds {
		l.kinds[peer]++
		r.Times = 0
		l.folded[k] = &r
		return false // the first one is written at once
	}
	l.foldRest(r.Time)
	return true
}

// foldRest counts a refusal for which there is no place of its own, together with all others of that kind.
func (l *Log) foldRest(now time.Time) {
	if rest := l.folded[fold{}]; rest != nil {
		rest.Times++
		return
	}
	l.folded[fold{}] = &Record{
		Time: now, From: "others", Call: "others", Outcome: Refused, Times: 1,
		Reason: fmt.Sprintf("more than %d kinds of refusals of one peer, or %d of all, within %s", maxKinds, maxFolded, foldWithin),
	}
}

// flush writes the counts of refusals that are older than a second.
func (l *Log) flush(now time.Time) {
	if age := now.Sub(l.counted); age >= foldWithin || age < 0 {
		l.counted = now
		clear(l.kinds)
	}
	for k, r := range l.folded {
		if age := now.Sub(r.Time); age >= foldWithin || age < 0 {
			delete(l.folded, k)
			if r.Times > 0 {
				last := *r
				last.Time = now
				l.append(last)
			}
		}
	}
}

func (l *Log) append(r Record) {
	line, err := json.Marshal(r.bounded())
	if err == nil {
		err = l.write(append(line, '\n'))
	}
	if err != nil {
		l.failed.Inc()
		l.options.Logger.Error("a record of the audit log is lost", "call", r.Call, "who", r.Who, "outcome", r.Outcome, "error", err)
	}
}

func (l *Log) write(line []byte) error {
	if l.file == nil {
		if err := l.open(); err != nil {
			return err
		}
	}
	if l.size > 0 && l.size+int64(len(line)) > l.options.FileBytes {
		if err := l.rotate(); err != nil {
			return err
		}
	}
	n, err := l.file.Write(line)
	l.size += int64(n)
	if err != nil && n > 0 { // a disk that is full keeps a part of the line
		if cut := l.file.Truncate(l.size - int64(n)); cut == nil {
			l.size -= int64(n)
		}
	}
	return err
}

// rotate renames the file by the present number of older ones, and opens a new one.
func (l *Log) rotate() error {
	old, err := l.older()
	if err != nil {
		return err
	}
	next := 1
	if len(old) > 0 {
		next = old[len(old)-1].number + 1
	}
	moved := os.Rename(l.path, fmt.Sprintf("%s.%06d", l.path, next))
	if errors.Is(moved, fs.ErrNotExist) {
		moved = nil // somebody has moved the file away
	}
	err = errors.Join(l.file.Close(), moved)
	l.file, l.size = nil, 0
	if err != nil {
		return fmt.Errorf("rotate the audit log: %w", err)
	}
	for i := range len(old) + 1 - l.options.Files {
		if err := os.Remove(old[i].path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove an old file of the audit log: %w", err)
		}
	}
	return l.open()
}

type olderFile struct {
	path   string
	number int
}

// older returns the rotated files, the oldest first.
func (l *Log) older() ([]olderFile, error) {
	entries, err := os.ReadDir(filepath.Dir(l.path))
	if err != nil {
		return nil, fmt.Errorf("list the files of the audit log: %w", err)
	}
	var old []olderFile
	for _, e := range entries {
		var number int
		suffix, is := strings.CutPrefix(e.Name(), filepath.Base(l.path)+".")
		if is {
			if _, err := fmt.Sscanf(suffix, "%d", &number); err == nil {
				old = append(old, olderFile{filepath.Join(filepath.Dir(l.path), e.Name()), number})
			}
		}
	}
	slices.SortFunc(old, func(a, b olderFile) int { return cmp.Compare(a.number, b.number) })
	return old, nil
}

// Close writes what was counted and closes the log.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.folded {
		if r.Times > 0 {
			l.append(*r)
		}
	}
	l.folded = make(map[fold]*Record)
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// bounded returns the record with texts of bounded length.
func (r Record) bounded() Record {
	cut := func(s string) string {
		if len(s) > maxText {
			return strings.ToValidUTF8(s[:maxText], "") + "…"
		}
		return s
	}
	r.Who, r.Claims, r.From, r.Call, r.Reason = cut(r.Who), cut(r.Claims), cut(r.From), cut(r.Call), cut(r.Reason)
	details := make(map[string]string, len(r.Details))
	for k, v := range r.Details {
		details[cut(k)] = cut(v)
	}
	r.Details = details
	return r
}

// Query selects records.
type Query struct {
	Since   time.Time // zero for all
	Who     string    // the verified or the claimed name; empty for all
	Refused bool      // only refusals
}

func (q Query) matches(r Record) bool {
	return !r.Time.Before(q.Since) && (q.Who == "" || r.Who == q.Who || r.Claims == q.Who) && (!q.Refused || r.Outcome == Refused)
}

// Read calls each with the lines of the records that a query selects, the oldest first. It does not hold up writers.
func (l *Log) Read(q Query, each func(line []byte) error) error {
	l.mu.Lock()
	old, err := l.older()
	l.mu.Unlock()
	if err != nil {
		return err
	}
	for _, f := range append(old, olderFile{path: l.path}) {
		text, err := os.ReadFile(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was removed meanwhile
		}
		if err != nil {
			return fmt.Errorf("read the audit log: %w", err)
		}
		for line := range bytes.Lines(text) {
			var r Record
			if json.Unmarshal(line, &r) != nil {
				continue // a line that a crash has cut
			}
			if q.matches(r) {
				if err := each(bytes.TrimSpace(line)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
