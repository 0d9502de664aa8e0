package fault

import (
	"context"
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// Verdict is the decision on a call. The zero Verdict lets the call pass.
type Verdict struct {
	// Exception is the answer; the call is not carried out.
	Exception *protocol.Exception
	// Cut means: carry the call out, send the share CutAfter, from 0 to 1, of the answer's frame, and close the
	// connection.
	Cut      bool
	CutAfter float64

	plan  *Plan
	delay time.Duration
	until time.Time // end of delay
	stall []*active // faults to wait for
	late  []*active // faults that caused delay
}

// Delay is how long Wait takes, without stalls.
func (v *Verdict) Delay() time.Duration { return v.delay }

// longDelay is the delay above which clearing the fault ends the wait early.
const longDelay = time.Second

// Wait waits out the faults' delays and stalls. Call it before any other work on the call. It returns ctx's error if
// ctx ends, and nil if the fault is cleared.
func (v *Verdict) Wait(ctx context.Context) error {
	for _, a := range v.stall {
		select {
		case <-a.over.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if v.delay <= 0 {
		return nil
	}
	if v.delay <= longDelay {
		return v.plan.timer.Wait(ctx, v.until)
	}
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	stops := make([]func() bool, len(v.late))
	for i, a := range v.late {
		stops[i] = context.AfterFunc(a.cleared, cancel)
	}
	err := v.plan.timer.Wait(waiting, v.until)
	for _, stop := range stops {
		stop()
	}
	if waiting.Err() != nil {
		return ctx.Err() // nil if the fault was cleared
	}
	return err
}

func exception(f *Fault, c *Call) *protocol.Exception {
	e := &protocol.Exception{Class: f.Kind.class()}
	where := c.Region
	if where == "" {
		where = c.Table
	}
	switch f.Kind {
	case NotServingRegion:
		e.Message = fmt.Sprintf("%s is not online on %s (sandbox fault)", where, c.Server)
	case RegionMoved:
		// The Java client reads the address out of the text.
		s := c.Server
		if s == nil {
			s = &Server{}
		}
		e.Host, e.Port = s.Host, s.Port
		e.Message = fmt.Sprintf("Region moved to: hostname=%s port=%d startCode=%d. As of locationSeqNum=%d.", s.Host, s.Port, s.StartCode, 1)
	case RegionOpening:
		e.Message = fmt.Sprintf("region %s is opening on %s (sandbox fault)", where, c.Server)
	case RegionTooBusy:
		e.Message = fmt.Sprintf("%s is over its memstore limit, server=%s (sandbox fault)", where, c.Server)
	case CallQueueTooBig:
		e.Message = fmt.Sprintf("call queue is full on %s, too many items queued (sandbox fault)", c.Server)
	case UnknownScanner:
		e.Message = fmt.Sprintf("scanner is unknown on %s, it may have expired (sandbox fault)", c.Server)
		e.DoNotRetry = true
	default:
		if f.Exception != "" {
			e.Class = f.Exception
		}
		e.Message = fmt.Sprintf("%s on %s (sandbox fault)", c.Op, c.Server)
	}
	return e
}
