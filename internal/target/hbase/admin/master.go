package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

const (
	// The pause between two tries of a server that is starting, or between two checks of a procedure, grows between these.
	firstPatience = 20 * time.Millisecond
	lastPatience  = 500 * time.Millisecond

	// The time limit of a read of hbase:meta, and of a query to the master: at first, and after several tries. A server that
	// does not answer in that time is abandoned.
	firstLook, lastLook     = time.Second, 8 * time.Second
	firstAnswer, lastAnswer = 3 * time.Second, 12 * time.Second
)

// masterServes fails unless the master answers and has become active.
func (c *Client) masterServes(ctx context.Context) error {
	response := &hbasepb.IsMasterRunningResponse{}
	err := c.persist(ctx, "IsMasterRunning", &hbasepb.IsMasterRunningRequest{}, response)
	if err == nil && !response.GetIsMasterRunning() {
		err = fmt.Errorf("the HBase master %s is stopping", c.Master())
	}
	return err
}

// query makes a read-only call to the master. It is retried while the master is starting or has just been replaced, until
// the context or the CallTimeout ends.
func (c *Client) query(ctx context.Context, method string, request, response proto.Message) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.CallTimeout)
	defer cancel()
	return c.persist(ctx, method, request, response)
}

func (c *Client) persist(ctx context.Context, method string, request, response proto.Message) error {
	pause, within := firstPatience, firstAnswer
	var last error
	for {
		at, seen := c.site(masterService)
		err := c.tryMaster(ctx, at, within, method, request, response)
		var answer *protocol.Exception
		switch {
		case err != nil && ctx.Err() != nil && last != nil:
			return fmt.Errorf("%w (%w)", last, context.Cause(ctx)) // err may only show that the time was over
		case err == nil, ctx.Err() != nil, isRefused(err), rpc.IsFinal(err):
			return err
		case errors.As(err, &answer) && !starting(answer):
			return err
		}
		last = err
		// If the connection is broken or refused, or no answer comes, there may be another master by now.
		if err := c.relocate(ctx, masterService, seen, pause, err); err != nil {
			return err
		}
		pause, within = min(2*pause, lastPatience), min(2*within, lastAnswer)
	}
}

// tryMaster calls the master once.
func (c *Client) tryMaster(ctx context.Context, at endpoint, within time.Duration, method string, request, response proto.Message) error {
	ctx, cancel := attempt(ctx, within)
	defer cancel()
	return c.ask(ctx, at, method, request, response)
}

// change makes a call to the master that changes something. It is sent once: if no answer comes, the error is ErrUnknown.
func (c *Client) change(ctx context.Context, method string, request, response proto.Message) error {
	pause := firstPatience
	for {
		err := c.toMaster(ctx, method, request, response)
		var answer *protocol.Exception
		switch {
		case err == nil, errors.Is(err, ErrNotReached):
			return err
		case !errors.As(err, &answer):
			return fmt.Errorf("%w: %w", ErrUnknown, err)
		case !starting(answer):
			return err
		}
		if late := wait(ctx, pause); late != nil { // the call was refused, not lost
			return fmt.Errorf("%w (%w)", err, late)
		}
		pause = min(2*pause, lastPatience)
	}
}

func (c *Client) toMaster(ctx context.Context, method string, request, response proto.Message) error {
	return c.ask(ctx, endpoint{masterService, c.Master()}, method, request, response)
}

// procedure waits for the end of a procedure of the master. Id 0 means that the call has already done its work.
func (c *Client) procedure(ctx context.Context, id uint64) error {
	if id == 0 {
		return nil
	}
	pause := firstPatience
	for {
		response := &hbasepb.GetProcedureResultResponse{}
		if err := c.query(ctx, "getProcedureResult", &hbasepb.GetProcedureResultRequest{ProcId: &id}, response); err != nil {
			return fmt.Errorf("%w: wait for procedure %d: %w", ErrUnknown, id, err)
		}
		switch response.GetState() {
		case hbasepb.ProcedureState_PROCEDURE_STATE_FINISHED:
			if e := response.GetException().GetGenericException(); e != nil {
				return protocol.NewException(e.GetClassName(), e.GetMessage())
			}
			return nil
		case hbasepb.ProcedureState_PROCEDURE_STATE_NOT_FOUND:
			// HBase deletes the record some minutes after the procedure's end.
			return fmt.Errorf("%w: the master no longer has procedure %d", ErrUnknown, id)
		case hbasepb.ProcedureState_PROCEDURE_STATE_RUNNING:
		}
		if err := wait(ctx, pause); err != nil {
			return fmt.Errorf("%w: procedure %d has not ended: %w", ErrUnknown, id, err)
		}
		pause = min(2*pause, lastPatience)
	}
}
