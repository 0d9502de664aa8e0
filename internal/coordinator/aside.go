package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"

	"github.com/benchd/benchd/internal/archive"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// ofRun runs work of a run beside its loop; a panic in it ends the run like one in the loop.
func (cd *conductor) ofRun(do func()) {
	err := quarantine.Guard(func() error { do(); return nil })
	if err != nil {
		cd.post(func() { panic(err) })
	}
}

// abandon ends a run whose conductor has panicked: it fails with that reason, and its agents are free. The archive has
// what was measured. It is called in the place of the loop.
func (cd *conductor) abandon(cause error) {
	c, rec := cd.c, &cd.run.State
	c.quarantine.Add(cd.run.Suite.ID, "conduct run "+cd.id, cause)
	reason := c.quarantine.Reason(cd.run.Suite.ID)
	rec.Life.Status, rec.Life.Reason, rec.Life.Failed = result.Failed, reason, true
	archived := cd.run.Archived
	archived.Status, archived.Reason, archived.Ended = result.Failed, reason, cd.stamp()
	if state, err := json.Marshal(cd.run.State); err == nil {
		archived.State = state
	}
	cd.run.Archived = archived
	archived.Agents = nil // those that the archive has stay
	event := archive.Event{Run: cd.id, At: archived.Ended, Kind: "coordinator", Text: reason}
	for {
		err := c.apply(c.life, archived, []archive.Event{event}, true)
		if err == nil || errors.Is(err, archive.ErrNotFound) || c.life.Err() != nil {
			break
		}
		c.log.Error("archive run", "run", cd.id, "error", err, "next_try", retryArchive)
		select {
		case <-c.life.Done():
		case <-time.After(retryArchive):
		}
	}
	cd.view.Lock()
	cd.live.state = rec.Life.Clone() // its windows are refused from now on
	cd.view.Unlock()
	for i := range rec.Life.Shards {
		cd.send(i, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Stop{Stop: &benchdv1.Stop{Id: cd.shardID(i), Reason: "the run was set aside"}}})
		cd.send(i, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Release{Release: &benchdv1.Release{Id: cd.shardID(i)}}})
	}
	cd.sealed, cd.dirty = true, false
}

// cannotTakeUp ends a run that cannot be taken up after a restart.
func (c *Coordinator) cannotTakeUp(ctx context.Context, archived archive.RunRecord, cause error) error {
	c.log.Error("a run cannot be taken up", "run", archived.ID, "error", cause)
	var rec record.State
	archived.Status, archived.Reason, archived.Ended = result.Failed, "it could not be taken up: "+cause.Error(), c.clock.Wall()
	if json.Unmarshal(archived.State, &rec) == nil && rec.Life != nil {
		archived.Ended = later(archived.Ended, rec.Noted)
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

// recoverCall answers a call whose handler has panicked with an error, and sets the suite aside that it was about.
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
		err = c.answered(suite, info.FullMethod, err)
	}
	return answer, err
}

// recoverStream does so for streams, whose handlers know better what they are about.
func recoverStream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	err := quarantine.Guard(func() error { return handle(srv, stream) })
	if c, is := srv.(*Coordinator); is {
		err = c.answered("", info.FullMethod, err)
	}
	return err
}

func (c *Coordinator) answered(suite, doing string, err error) error {
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
