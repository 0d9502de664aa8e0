package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

const (
	// patience is between two tries of a server that is starting, or two looks at a procedure.
	firstPatience = 20 * time.Millisecond
	lastPatience  = 500 * time.Millisecond

	// How long a look at hbase:meta may take, and an answer of the master that changes nothing: first, and after several tries.
	// A server that falls silent is left after that time.
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

// query asks the master for what changes nothing. It is asked again while the master is starting, or has just been
// replaced, until the context or the bound of a call ends.
func (c *Client) query(ctx context.Context, method string, request, response proto.Message) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.CallTimeout)
	defer cancel()
	return c.persist(ctx, method, request, response)
}

func (c *Client) persist(ctx context.Context, method string, request, response proto.Message) error {
	pause, within := firstPatience, firstAnswer
	for {
		at, seen := c.site(masterService)
		err := c.tryMaster(ctx, at, within, method, request, response)
		var answer *protocol.Exception
		switch {
		case err == nil, ctx.Err() != nil:
			return err
		case errors.As(err, &answer) && !starting(answer):
			return err
		}
		// Where the connection is broken, nothing listens or no answer comes there may be another master by now.
		if err := c.relocate(ctx, masterService, seen, pause, err); err != nil {
			return err
		}
		pause, within = min(2*pause, lastPatience), min(2*within, lastAnswer)
	}
}

// tryMaster asks the master once.
func (c *Client) tryMaster(ctx context.Context, at endpoint, within time.Duration, method string, request, response proto.Message) error {
	ctx, cancel := attempt(ctx, within)
	defer cancel()
	return c.ask(ctx, at, method, request, response)
}

// change tells the master to change something. It is told once: where no answer comes the error is ErrUnknown.
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
		if late := wait(ctx, pause); late != nil { // it was refused, not lost
			return fmt.Errorf("%w (%w)", err, late)
		}
		pause = min(2*pause, lastPatience)
	}
}

func (c *Client) toMaster(ctx context.Context, method string, request, response proto.Message) error {
	return c.ask(ctx, endpoint{masterService, c.Master()}, method, request, response)
}

// procedure waits for the end of what the master does by a procedure. Servers that have none have done it at once.
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
			// Its record is thrown away some minutes after its end: what it did can be seen elsewhere.
			return fmt.Errorf("%w: the master does not know procedure %d any more", ErrUnknown, id)
		case hbasepb.ProcedureState_PROCEDURE_STATE_RUNNING:
		}
		if err := wait(ctx, pause); err != nil {
			return fmt.Errorf("%w: procedure %d has not ended: %w", ErrUnknown, id, err)
		}
		pause = min(2*pause, lastPatience)
	}
}
