package debugserver

import (
	"log"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// errorLog returns the log of a server's errors. Strangers cause some of them, so each minute has at most a few messages, and the next
// one counts the others.
func errorLog(to *slog.Logger) *log.Logger { return log.New(&fewMessages{to: to}, "", 0) }

// fewMessages logs a few of the messages that are written to it.
type fewMessages struct {
	to *slog.Logger

	mu      sync.Mutex
	began   time.Time // the current minute
	logged  int       // in it
	omitted int
}

// Write logs a message.
func (f *fewMessages) Write(message []byte) (int, error) {
	const period, most = time.Minute, 10
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); now.Sub(f.began) >= period {
		f.began, f.logged = now, 0
	}
	if f.logged++; f.logged > most {
		f.omitted++
		return len(message), nil
	}
	var args []any
	if f.omitted > 0 {
		args = append(args, "omitted", f.omitted)
		f.omitted = 0
	}
	f.to.Warn(strings.TrimSpace(string(message)), args...)
	return len(message), nil
}
