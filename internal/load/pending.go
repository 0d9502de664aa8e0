package load

import (
	"github.com/benchd/benchd/internal/workload"
)

// pending are the writes in the buffer of a worker's session, which the target has not acknowledged. They are recorded,
// and their rows counted, when it has, or when they are lost. The memory is reused for the next buffer.
type pending struct {
	samples []pendingSample
}

// pendingSample is a write, or a part of one, which comes before it.
type pendingSample struct {
	response, service int64
	series            int32
	rows, bytes       int32
	part              bool
}

func (p *pending) keep(series int, out workload.Outcome, response, service int64) {
	p.samples = append(p.samples, pendingSample{
		response: response, service: service, series: int32(series), rows: max(out.Rows, 0), bytes: int32(max(out.Bytes, 0)),
	})
}

func (p *pending) keepPart(series int, response, service int64) {
	p.samples = append(p.samples, pendingSample{response: response, service: service, series: int32(series), part: true})
}

// buffering reports whether the session has unacknowledged writes.
func (w *worker) buffering() bool { return len(w.pending.samples) > 0 }

// lost returns the failed writes of the session's last flush. A session that cannot list them has lost all if err reports
// that any was lost.
func (w *worker) lost(err error) []Lost {
	if w.buffers != nil {
		return w.buffers.Lost()
	}
	if err == nil {
		return nil
	}
	var all []Lost
	for _, s := range w.pending.samples {
		if !s.part {
			all = append(all, Lost{Write: len(all), Rows: s.rows, Code: workload.Error, Err: err})
		}
	}
	return all
}

// settle records the writes of the session's buffer, which has been sent. No window is cut meanwhile, so that a load's
// rows and operations agree. It returns the first failure.
func (w *worker) settle(lost []Lost) error {
	if !w.buffering() {
		return nil
	}
	w.loaded.settling.Lock()
	defer w.loaded.settling.Unlock()
	at := w.s.now()
	write, failed := 0, int64(0)
	var first error
	for _, s := range w.pending.samples {
		series, rows, bytes := s.series, s.rows, s.bytes
		if len(lost) > 0 && lost[0].Write == write {
			l := lost[0]
			series = series/int32(workload.NumCodes)*int32(workload.NumCodes) + int32(l.Code)
			w.s.samples.add(int(series), l.Err)
			if !s.part {
				failed += int64(l.Rows)
				rows, bytes = max(s.rows-l.Rows, 0), 0
				if first == nil {
					first = reason(workload.Outcome{Err: l.Err})
				}
				lost = lost[1:]
			}
		}
		w.record.Record(int(series), at, s.response, s.service)
		if !s.part {
			write++
			w.counts.rows.Add(uint64(rows))
			w.counts.bytes.Add(uint64(bytes))
		}
	}
	w.pending.samples = w.pending.samples[:0]
	w.lastDone = at
	if w.s.load {
		w.loaded.reach(w.gen.Loaded(), failed, at, w.s.cutAt.Load())
	}
	return first
}
