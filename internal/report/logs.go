package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// Interval is what all agents of a run measured in one interval of a phase.
type Interval struct {
	Phase      string
	PhaseStart time.Time
	Start, End time.Duration // from the phase's start
	Tail       bool          // after the phase's planned end
	Series     []latency.Series
}

// Logged encodes the interval as logs contain it.
func (iv *Interval) Logged(e *latency.LogEncoder) (latency.LoggedInterval, error) {
	out := latency.LoggedInterval{Phase: iv.Phase, PhaseStart: iv.PhaseStart, Start: iv.Start, End: iv.End}
	for _, s := range iv.Series {
		logged, err := e.Series(s)
		if err != nil {
			return out, fmt.Errorf("encode log of %s: %w", s.Key, err)
		}
		out.Series = append(out.Series, logged)
	}
	return out, nil
}

// Logs writes a run's histograms as HdrHistogram logs in nanoseconds: a file for each operation with each outcome, in
// it a line for each interval with the response times, and behind it one tagged "service" with the service times.
type Logs struct {
	files *Files
	dir   string
	run   string
	logs  map[logKey]*latency.LogWriter
}

type logKey struct {
	phase string
	key   latency.Key
}

// NewLogs writes into a directory.
func NewLogs(files *Files, dir, run string) *Logs {
	return &Logs{files: files, dir: dir, run: run, logs: make(map[logKey]*latency.LogWriter)}
}

// Add writes an interval.
func (l *Logs) Add(iv latency.LoggedInterval) error {
	for _, s := range iv.Series {
		key := logKey{iv.Phase, s.Key}
		log := l.logs[key]
		if log == nil {
			w, err := l.files.Create(filepath.Join(l.dir, l.name(key)))
			if err != nil {
				return err
			}
			if log, err = latency.NewLogWriter(w, iv.PhaseStart); err != nil {
				return err
			}
			l.logs[key] = log
		}
		if err := log.WriteLogged("", iv.Start, iv.End, s.Response); err != nil {
			return fmt.Errorf("write log of %s: %w", s.Key, err)
		}
		if err := log.WriteLogged("service", iv.Start, iv.End, s.Service); err != nil {
			return fmt.Errorf("write log of %s: %w", s.Key, err)
		}
	}
	return nil
}

// name is RUN-PHASE-OP.hlog, with what the operation is a part of and an outcome that is not OK.
func (l *Logs) name(k logKey) string {
	parts := []string{fileID(l.run), k.phase}
	if k.key.PartOf != "" && k.key.PartOf != k.key.Op {
		parts = append(parts, k.key.PartOf)
	}
	parts = append(parts, k.key.Op)
	if k.key.Outcome != "OK" {
		parts = append(parts, k.key.Outcome)
	}
	name := fileName(strings.Join(parts, "-"))
	return name[:min(len(name), logNameLength)] + ".hlog"
}

// logNameLength bounds the names of logs: agents name operations.
const logNameLength = 200

// fileName leaves only what is harmless in a file's name: names of operations come from agents.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, s)
}

// YCSBLogs writes a run's histograms as YCSB's hdrhistogram.fileoutput does: a file for each series, in microseconds,
// with a line for each status.interval where there are status lines, else one for each phase. The warm-up is left out.
type YCSBLogs struct {
	y     YCSB
	files *Files
	began time.Time // of the first phase
	logs  map[string]*latency.LogWriter

	phase  Interval       // that is being gathered, without series
	merged latency.Merged // its series, by YCSB's names
}

// NewYCSBLogs writes files whose names begin with LogPath.
func (y YCSB) NewYCSBLogs(files *Files) *YCSBLogs {
	return &YCSBLogs{y: y, files: files, logs: make(map[string]*latency.LogWriter)}
}

// Add takes an interval.
func (l *YCSBLogs) Add(iv Interval) error {
	if iv.Phase == "warmup" {
		return nil
	}
	if l.began.IsZero() {
		l.began = iv.PhaseStart
	}
	over := iv.Phase != l.phase.Phase
	if l.y.Status {
		over = over || iv.Start >= l.phase.Start.Truncate(l.y.StatusInterval)+l.y.StatusInterval
	}
	if over {
		if err := l.Close(); err != nil {
			return err
		}
		l.phase = iv
		l.phase.Series = nil
	}
	l.phase.End = max(l.phase.End, iv.End)
	for _, s := range iv.Series {
		s.Key = latency.Key{Op: l.y.Combine.Name(s.Key.Op, s.Key.Outcome)}
		if err := l.merged.Add([]latency.Series{s}); err != nil {
			return err
		}
	}
	return nil
}

// serviceName is the series of service times, or "" where it is not wanted.
func (l *YCSBLogs) serviceName(name string) string {
	if l.y.Clock == IntendedClock {
		return ""
	}
	return name
}

func (l *YCSBLogs) responseName(name string) string {
	switch {
	case l.y.Clock == OpClock || strings.HasPrefix(name, "VERIFY"):
		return ""
	case l.y.Clock == BothClocks:
		return "Intended-" + name
	}
	return name
}

// Close writes what was gathered.
func (l *YCSBLogs) Close() error {
	for s := range l.merged.All {
		if err := errors.Join(l.write(l.serviceName(s.Key.Op), s.Service), l.write(l.responseName(s.Key.Op), s.Response)); err != nil {
			return err
		}
	}
	l.merged.Reset()
	return nil
}

// write adds what was gathered to the log of a name; an empty name has none.
func (l *YCSBLogs) write(name string, h *latency.Histogram) error {
	if name == "" {
		return nil
	}
	log := l.logs[name]
	if log == nil {
		w, err := l.files.Create(l.y.LogPath + fileName(name) + ".hdr")
		if err != nil {
			return err
		}
		if log, err = latency.NewMicrosWriter(w, l.began); err != nil {
			return err
		}
		l.logs[name] = log
	}
	offset := l.phase.PhaseStart.Sub(l.began)
	if err := log.Write("", offset+l.phase.Start, offset+l.phase.End, h); err != nil {
		return fmt.Errorf("write log of %s: %w", name, err)
	}
	return nil
}
