package null

import (
	"fmt"
	"strconv"

	"github.com/benchd/benchd/internal/workload"
)

// logBuffer is how many bytes a session collects before it writes.
const logBuffer = 64 << 10

// log writes a line for each operation: the agent, the shard, the worker, the kind, the key (keys of a batch
// with commas between), the outcome, and when it began and ended in Unix nanoseconds, with blanks between. The
// times are the machine's own, whatever the agent believes the time to be.
type log struct {
	target *Target
	head   string // what every line begins with
	buf    []byte
	zero   int64 // Unix time of the target's birth
	err    error // the first one: after it nothing is written
}

func newLog(t *Target, worker int) *log {
	return &log{
		target: t,
		head:   t.agent + " " + strconv.Itoa(t.shard) + " " + strconv.Itoa(worker) + " ",
		buf:    make([]byte, 0, logBuffer+4096),
		zero:   t.birth.UnixNano(),
	}
}

func (l *log) add(op *workload.Op, code workload.Code, begin, end int64) {
	b := l.buf
	b = append(b, l.head...)
	b = append(b, op.Kind.String()...)
	b = append(b, ' ')
	b = append(b, op.Key...)
	for i, k := range op.Keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, k...)
	}
	b = append(b, ' ')
	b = append(b, code.String()...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, l.zero+begin, 10)
	b = append(b, ' ')
	b = strconv.AppendInt(b, l.zero+end, 10)
	b = append(b, '\n')
	l.buf = b
	if len(l.buf) >= logBuffer {
		l.flush()
	}
}

// flush writes whole lines in one call.
func (l *log) flush() {
	if l.err == nil && len(l.buf) > 0 {
		if _, err := l.target.log.Write(l.buf); err != nil {
			l.err = fmt.Errorf("write log of operations %s (null.log): %w", l.target.settings.LogPath, err)
		}
	}
	l.buf = l.buf[:0]
}

func (l *log) close() error {
	l.flush()
	return l.err
}
