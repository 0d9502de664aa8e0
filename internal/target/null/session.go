package null

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/benchd/benchd/internal/alarm"
	"github.com/benchd/benchd/internal/target/null/nullspec"
	"github.com/benchd/benchd/internal/workload"
)

var (
	errAsked    = errors.New("simulated error (null.error.share)")
	errNotFound = errors.New("simulated miss (null.notfound.share)")
)

// session carries out the operations of a worker.
type session struct {
	target *System
	worker int
	rng    *rand.Rand
	alarm  *alarm.Alarm // nil when nothing is waited for
	log    *log         // nil without one
	simple bool         // nothing is simulated, drawn or logged
}

func newSession(t *System, worker int) (*session, error) {
	s := &session{
		target: t, worker: worker,
		rng: rand.New(rand.NewPCG(t.seed, uint64(t.shard)<<32|uint64(worker))),
	}
	waits := t.settings.Service.Shape != nullspec.ServiceNone && t.settings.Service.Shape != "" || t.queue.each > 0
	var err error
	switch {
	case waits && t.plain:
		s.alarm = alarm.NewPlain()
	case waits && t.knownIO:
		s.alarm, err = alarm.NewKnown()
	case waits:
		s.alarm, err = alarm.New()
	}
	if err != nil {
		return nil, fmt.Errorf("open session of target null, which simulates times: %w", err)
	}
	if t.log != nil {
		s.log = newLog(t, worker)
	}
	s.simple = !waits && s.log == nil && t.settings.ErrorShare == 0 && t.settings.NotFoundShare == 0
	return s, nil
}

// Do accepts op.
func (s *session) Do(ctx context.Context, op *workload.Op) workload.Outcome {
	if s.simple {
		return accepted(op)
	}
	begin := s.target.now()
	out := s.outcome(op)
	if err := s.serve(ctx, begin); err != nil {
		out = workload.Outcome{Code: workload.Timeout, Err: fmt.Errorf("wait for simulated service: %w", err)}
	}
	if s.log != nil {
		s.log.add(op, out.Code, begin, s.target.now())
	}
	return out
}

// serve waits until the operation that began at begin is done.
func (s *session) serve(ctx context.Context, begin int64) error {
	if s.alarm == nil {
		return ctx.Err()
	}
	t := s.target
	if t.queue.each > 0 {
		begin = t.queue.turn(begin)
	}
	origin := t.origin(begin)
	since := time.Duration(max(begin-origin, 0))
	service := draw(&t.settings.Service, since, s.rng)
	end := origin + int64(thaw(&t.settings.Service, since, service))
	return s.alarm.Wait(ctx, time.Duration(end-t.now()))
}

func (s *session) outcome(op *workload.Op) workload.Outcome {
	if p := s.target.settings.ErrorShare; p > 0 && s.rng.Float64() < p {
		return workload.Outcome{Code: workload.Error, Err: errAsked}
	}
	if p := s.target.settings.NotFoundShare; p > 0 && reads(op.Kind) && s.rng.Float64() < p {
		return workload.Outcome{Code: workload.NotFound, Err: errNotFound}
	}
	return accepted(op)
}

func reads(k workload.Kind) bool {
	return k == workload.Read || k == workload.Scan || k == workload.MultiGet
}

// accepted returns the outcome of a successful operation. Values that a read would return count no bytes.
func accepted(op *workload.Op) workload.Outcome {
	out := workload.Outcome{Code: workload.OK, Rows: 1, Bytes: int64(len(op.Key))}
	if len(op.Keys) > 0 {
		out.Rows = int32(len(op.Keys))
		for _, k := range op.Keys {
			out.Bytes += int64(len(k))
		}
	}
	if op.Kind == workload.Scan {
		out.Rows = int32(op.ScanLength)
	}
	for _, v := range op.Values {
		out.Bytes += int64(len(v))
	}
	return out
}

// Close ends the session; the log is complete when it returns.
func (s *session) Close(context.Context) error {
	defer s.target.closed()
	var problems []error
	if s.alarm != nil {
		problems = append(problems, s.alarm.Close())
	}
	if s.log != nil {
		problems = append(problems, s.log.close())
	}
	return errors.Join(problems...)
}
