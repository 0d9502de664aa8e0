package gohbase

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sirupsen/logrus"
)

// guard is what keeps log.Fatal of gohbase from ending the process. gohbase logs by logrus' global logger.
//
// What follows a call of log.Fatal depends on its place (TestThePlacesOfFatal lists them):
//   - In the cache of regions, under its lock, log.Fatal returns. The code after it treats the region as unknown, and the
//     operation fails.
//   - In a goroutine of gohbase that looks a region up, without locks, the goroutine ends. Operations on that region wait until
//     their time is over.
type guard struct {
	once   sync.Once
	fatals atomic.Int64
	fatal  atomic.Pointer[string] // the last one
	logged atomic.Pointer[entry]  // the last error
}

// entry is an error in gohbase's log, with its number.
type entry struct {
	number int64
	text   string
}

var process guard //nolint:gochecknoglobals // logrus' logger and the process are global, too

// install takes gohbase's log and its exits. Other users of logrus would still end the process.
func (g *guard) install() {
	g.once.Do(func() {
		l := logrus.StandardLogger()
		l.SetOutput(io.Discard)
		l.SetLevel(logrus.ErrorLevel)
		l.AddHook(g)
		exit := l.ExitFunc
		l.ExitFunc = func(code int) {
			switch where() {
			case inCache:
			case inGohbase:
				runtime.Goexit()
			case elsewhere:
				exit(code)
			}
		}
	})
}

// place is where log.Fatal is called.
type place int

const (
	elsewhere place = iota
	inGohbase
	inCache
)

// where finds out who calls log.Fatal.
func where() place {
	const deepest = 64
	pcs := make([]uintptr, deepest)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "github.com/tsuna/gohbase") {
			if strings.Contains(f.Function, ".(*keyRegionCache).") {
				return inCache
			}
			return inGohbase
		}
		if !more {
			return elsewhere
		}
	}
}

// Levels implements logrus.Hook.
func (*guard) Levels() []logrus.Level {
	return []logrus.Level{logrus.FatalLevel, logrus.ErrorLevel}
}

// Fire implements logrus.Hook.
func (g *guard) Fire(e *logrus.Entry) error {
	parts := []string{e.Message}
	for _, field := range []string{"client", "region", "err"} {
		if v, ok := e.Data[field]; ok {
			parts = append(parts, fmt.Sprintf("%s %v", field, v))
		}
	}
	text := strings.Join(parts, ", ")
	if e.Level == logrus.FatalLevel {
		g.fatal.Store(&text)
		g.fatals.Add(1)
	}
	g.note(text)
	return nil
}

// note keeps an error for operations that fail without a reason.
func (g *guard) note(text string) {
	const longest = 500
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	e := &entry{1, text}
	if last := g.logged.Load(); last != nil {
		e.number = last.number + 1
	}
	g.logged.Store(e)
}

// mark is the state of the log when an operation begins.
type mark struct {
	fatals int64
	logged *entry
}

func (g *guard) mark() mark { return mark{g.fatals.Load(), g.logged.Load()} }

// died returns the message of a log.Fatal since the mark, which would have ended the process with all operations in flight, or "".
func (g *guard) died(m mark) string {
	if g.fatals.Load() == m.fatals {
		return ""
	}
	return *g.fatal.Load()
}

// since returns the last error in the log since the mark, or "".
func (g *guard) since(m mark) string {
	if e := g.logged.Load(); e != m.logged {
		return e.text
	}
	return ""
}
