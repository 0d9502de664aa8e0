package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// logFile is an HdrHistogram interval log. A log has the times of one operation.
type logFile struct {
	name      string // of the file
	subject   logSubject
	unit      time.Duration
	start     float64 // of its time, in seconds
	intervals []logInterval
	ycsb      bool // YCSB wrote it
	own       bool // benchd wrote it
}

// logSubject is what a log is about.
type logSubject struct {
	run     string // of a benchd log
	phase   string // "" if it does not name it
	measure string // in YCSB's words
	outcome string // of a benchd log, other than OK
	partOf  string // of a benchd log
}

type logInterval struct {
	tag        string
	begin, end float64 // in seconds since the log's start
	times      []latency.Bucket
}

const maxIntervals = 100_000 // of a log

var (
	logLine    = regexp.MustCompile(`^(?:Tag=([^,\s]{1,64}),)?(\d{1,12}(?:\.\d{1,9})?),(\d{1,12}(?:\.\d{1,9})?),(\d{1,18}(?:\.\d{1,9})?),(HIST[A-Za-z0-9+/=]+)$`)
	logStart   = regexp.MustCompile(`^#\[StartTime: (\d{1,12}(?:\.\d{1,9})?) `)
	logSubj    = regexp.MustCompile(`^#\[Logging for: ([A-Za-z0-9_.-]{1,64})\]$`)
	logOfPhase = regexp.MustCompile(`^(?:(.{1,100})-)?(load|warmup|measure)-([A-Z].{0,100})$`)
)

// isLog reports whether the first lines are those of an interval log.
func isLog(text []byte) bool {
	number := 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if number++; number > 20 {
			return false
		}
		if bytes.HasPrefix(line, []byte("#[Histogram log format version")) || logLine.Match(line) {
			return true
		}
		if !bytes.HasPrefix(line, []byte("#")) && !bytes.HasPrefix(line, []byte(`"StartTimestamp"`)) {
			return false
		}
	}
	return false
}

// log reads an interval log.
func (r *reader) log(f File) error {
	l := &logFile{name: f.Name, unit: r.stated.Unit}
	var decoder latency.HdrDecoder
	number := 0
	for raw := range bytes.Lines(f.Content) {
		number++
		if len(raw) > maxLine {
			return &lineError{f.Name, number, fmt.Errorf("%d characters: at most %d are read", len(raw), maxLine)}
		}
		if err := l.line(strings.TrimRight(string(raw), "\r\n"), &decoder); err != nil {
			return &lineError{f.Name, number, err}
		}
	}
	if l.unit == 0 {
		return fmt.Errorf("%s: it does not name the unit of its values: state it with --unit ns, us or ms", f.Name)
	}
	if l.subject.measure == "" {
		subject, err := subjectOf(f.Name)
		if err != nil {
			return err
		}
		l.subject = subject
	}
	r.logs = append(r.logs, l)
	return nil
}

func (l *logFile) line(line string, decoder *latency.HdrDecoder) error {
	if form := logLine.FindStringSubmatch(line); form != nil {
		if len(l.intervals) == maxIntervals {
			return fmt.Errorf("more than %d intervals", maxIntervals)
		}
		begin, errBegin := number(form[2], 1e12)
		length, errLength := number(form[3], maxSeconds)
		times, err := decoder.Decode(form[5])
		if err := errors.Join(errBegin, errLength, err); err != nil {
			return err
		}
		l.intervals = append(l.intervals, logInterval{form[1], begin, begin + length, times})
		return nil
	}
	switch form := logStart.FindStringSubmatch(line); {
	case form != nil:
		l.start, _ = strconv.ParseFloat(form[1], 64) // digits, by the form
	case logSubj.MatchString(line):
		l.subject = logSubject{measure: plainName(logSubj.FindStringSubmatch(line)[1])}
		l.ycsb, l.unit = true, time.Microsecond
	case line == "#[Logged by benchd; values in nanoseconds]":
		l.own, l.unit = true, time.Nanosecond
	case line == "#[Logged by benchd; values in microseconds]":
		l.own, l.unit = true, time.Microsecond
	case line == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, `"StartTimestamp"`):
	default:
		return fmt.Errorf("not a line of an HdrHistogram log: %q", clean(line[:min(len(line), 80)]))
	}
	return nil
}

// subjectOf reads what a log is about from its file's name: READ.hdr, run1-READ.hlog, 20260301-k7mp.1-measure-READ-NOT_FOUND.hlog.
func subjectOf(file string) (logSubject, error) {
	base := strings.TrimSuffix(file, filepath.Ext(file))
	var s logSubject
	if form := logOfPhase.FindStringSubmatch(base); form != nil {
		s.run, s.phase, base = form[1], form[2], form[3]
	}
	intended := ""
	if at := strings.LastIndex(base, "Intended-"); at >= 0 {
		intended, base = "Intended-", base[at+len("Intended-"):]
	}
	for _, op := range operations() {
		at := strings.LastIndex(base, op)
		if at < 0 || s.phase != "" && at > 0 || at > 0 && !strings.ContainsAny(base[at-1:at], "-_. ") {
			continue
		}
		rest := base[at+len(op):]
		if rest != "" && rest[0] != '-' {
			continue
		}
		rest = strings.TrimPrefix(rest, "-")
		if s.phase != "" {
			for _, part := range operations() {
				if inner, found := strings.CutPrefix(rest, part); found && (inner == "" || inner[0] == '-') {
					s.partOf, op, rest = op, part, strings.TrimPrefix(inner, "-")
					break
				}
			}
			s.measure, s.outcome = op, rest
			if rest != "" && checkName(rest) != nil {
				break
			}
			return s, nil
		}
		s.measure = intended + op
		if rest != "" {
			s.measure += "-" + rest
		}
		return s, checkName(s.measure)
	}
	return s, fmt.Errorf("%s: its name does not name an operation: rename it to OPERATION.hlog, such as READ.hlog", file)
}
