package debugserver

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// fewMessages is a handler for the errors of a server. Strangers cause some of them, so each minute has at most a few messages, and the
// next one counts the others.
type fewMessages struct {
	slog.Handler
	minute *minute
}

// minute counts the messages of the current minute.
type minute struct {
	mu      sync.Mutex
	began   time.Time
	logged  int
	omitted int // since the last message that was logged
}

// Few returns a handler that passes at most a few messages in each minute to another one.
func Few(to slog.Handler) slog.Handler { return fewMessages{Handler: to, minute: new(minute)} }

// Handle logs a message, unless there are too many.
func (f fewMessages) Handle(ctx context.Context, record slog.Record) error {
	omitted, ok := f.minute.next(time.Now())
	if !ok {
		return nil
	}
	if omitted > 0 {
		record.AddAttrs(slog.Int("omitted", omitted))
	}
	return f.Handler.Handle(ctx, record) //nolint:wrapcheck // a handler's error goes to the logger
}

// next reports whether the next message is logged, and how many were omitted before.
func (m *minute) next(now time.Time) (omitted int, ok bool) {
	const most = 10
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Sub(m.began) >= time.Minute {
		m.began, m.logged = now, 0
	}
	if m.logged == most {
		m.omitted++
		return 0, false
	}
	m.logged++
	omitted, m.omitted = m.omitted, 0
	return omitted, true
}
