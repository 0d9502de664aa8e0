package hbase

import (
	"io"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sirupsen/logrus"
)

// library is where the log of gohbase goes, of which there is one in a process.
//
//nolint:gochecknoglobals // the library's logger is global
var library struct {
	once sync.Once
	to   atomic.Pointer[slog.Logger]
}

// routeLibraryLogs sends what gohbase logs to a logger; the last one that is given gets it. What the library takes
// for fatal ends the goroutine that finds it so, and not the agent: who waits for it has a deadline.
func routeLibraryLogs(to *slog.Logger) {
	if to == nil {
		to = slog.New(slog.DiscardHandler)
	}
	library.to.Store(to)
	library.once.Do(func() {
		logger := logrus.StandardLogger()
		logger.SetOutput(io.Discard)
		logger.SetLevel(logrus.InfoLevel)
		logger.ExitFunc = func(int) { runtime.Goexit() }
		logger.AddHook(hook{})
	})
}

// hook hands entries on.
type hook struct{}

// Levels are those that are worth something.
func (hook) Levels() []logrus.Level {
	return []logrus.Level{logrus.PanicLevel, logrus.FatalLevel, logrus.ErrorLevel, logrus.WarnLevel}
}

// Fire hands one entry on.
func (hook) Fire(e *logrus.Entry) error {
	attrs := make([]any, 0, 2*len(e.Data)+2)
	attrs = append(attrs, "message", e.Message)
	for k, v := range e.Data {
		attrs = append(attrs, k, v)
	}
	library.to.Load().Warn("gohbase tells of trouble", attrs...)
	return nil
}
