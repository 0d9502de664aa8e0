package cluster

import (
	"context"
	"log/slog"
	"sync"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

const (
	// logEvery is the time in which a message of the driver is logged once.
	logEvery = 10 * time.Second
	// maxMessages bounds the number of remembered messages; the driver has about a hundred.
	maxMessages = 500
)

// log passes the driver's messages on. It implements gocql.StructuredLogger.
type log struct {
	to *slog.Logger

	mu   sync.Mutex
	seen map[string]*repeated
}

// repeated is a message with the time at which it was last logged, and how often it came since then.
type repeated struct {
	at      time.Time
	skipped int
}

func newLog(to *slog.Logger) *log { return &log{to: to, seen: make(map[string]*repeated)} }

// Error implements gocql.StructuredLogger. What the driver cannot do it tries again, so it is a warning here.
func (l *log) Error(msg string, fields ...gocql.LogField) { l.write(slog.LevelWarn, msg, fields) }

// Warning implements gocql.StructuredLogger.
func (l *log) Warning(msg string, fields ...gocql.LogField) { l.write(slog.LevelWarn, msg, fields) }

// Info implements gocql.StructuredLogger.
func (l *log) Info(msg string, fields ...gocql.LogField) { l.write(slog.LevelDebug, msg, fields) }

// Debug implements gocql.StructuredLogger.
func (*log) Debug(string, ...gocql.LogField) {}

func (l *log) write(level slog.Level, msg string, fields []gocql.LogField) {
	if !l.to.Enabled(context.Background(), level) {
		return
	}
	skipped, due := l.due(msg, time.Now())
	if !due {
		return
	}
	attrs := make([]slog.Attr, 0, len(fields)+2)
	attrs = append(attrs, slog.String("message", msg))
	for _, f := range fields {
		attrs = append(attrs, slog.String(f.Name, f.Value.String()))
	}
	if skipped > 0 {
		attrs = append(attrs, slog.Int("repeated", skipped))
	}
	l.to.LogAttrs(context.Background(), level, "driver of Cassandra", attrs...)
}

// due reports whether a message is logged now, and how often it came since it was logged.
func (l *log) due(msg string, now time.Time) (skipped int, due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.seen[msg]
	switch {
	case r == nil && len(l.seen) >= maxMessages:
		return 0, false
	case r == nil:
		l.seen[msg] = &repeated{at: now}
		return 0, true
	case now.Sub(r.at) < logEvery:
		r.skipped++
		return 0, false
	}
	skipped = r.skipped
	*r = repeated{at: now}
	return skipped, true
}
