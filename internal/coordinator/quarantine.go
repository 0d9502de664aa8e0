package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/grpc"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// failUnrecoverable ends a run that cannot be recovered after a restart.
func (c *Coordinator) failUnrecoverable(ctx context.Context, archived archive.RunRecord, cause error) error {
	c.log.Error("cannot recover run", "run", archived.ID, "error", cause)
	var rec record.State
	archived.Status, archived.Reason, archived.Ended = result.Failed, "cannot recover it after a restart: "+cause.Error(), c.clock.Wall()
	if json.Unmarshal(archived.State, &rec) == nil && rec.Life != nil {
		if rec.Noted.After(archived.Ended) {
			archived.Ended = rec.Noted
		}
		rec.Life.Status, rec.Life.Reason, rec.Life.Failed = result.Failed, archived.Reason, true
		if state, err := json.Marshal(rec); err == nil {
			archived.State = state
		}
	}
	if err := c.apply(ctx, archived, nil, true); err != nil {
		return fmt.Errorf("end run %s: %w", archived.ID, err)
	}
	return nil
}

// recoverCall turns a panic of a handler into an error, and sets aside the suite of the request.
func recoverCall(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (answer any, err error) {
	err = quarantine.Guard(func() (err error) {
		answer, err = handle(ctx, req)
		return err
	})
	if c, is := info.Server.(*Coordinator); is {
		suite := ""
		if of, is := req.(interface{ GetId() string }); is {
			suite = record.SuiteOf(of.GetId())
		}
		err = c.afterCall(suite, info.FullMethod, err)
	}
	return answer, err
}

// recoverStream does the same for streams, without setting a suite aside: only their handlers have its id.
func recoverStream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	err := quarantine.Guard(func() error { return handle(srv, stream) })
	if c, is := srv.(*Coordinator); is {
		err = c.afterCall("", info.FullMethod, err)
	}
	return err
}

// afterCall returns the error of a call that has panicked.
func (c *Coordinator) afterCall(suite, doing string, err error) error {
	p, is := errors.AsType[*quarantine.PanicError](err)
	switch {
	case !is:
		return err
	case suite != "":
		c.quarantine.Add(suite, doing, err)
	default:
		c.log.Error("a call has panicked", "method", doing, "error", err, "stack", p.Stack())
	}
	return wire.ToStatus(err)
}
