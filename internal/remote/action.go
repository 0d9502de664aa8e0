package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
)

// ActionRequest is an action for an agent to execute on a target.
type ActionRequest struct {
	Target     string          // hbase …
	Submission spec.Submission // the target's address
	Action     load.Action
	Agent      string // empty for any
	Timeout    time.Duration
	By         string
}

// ActionResult is the outcome of an action.
type ActionResult struct {
	Agent    string
	Answer   load.Answer // its integers are json.Number
	Warnings []string
}

// Act lets an agent execute an action and waits for its end.
func (c *Client) Act(ctx context.Context, o ActionRequest) (ActionResult, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout+2*c.patience.answer)
	defer cancel()
	response, err := c.service.Act(ctx, &benchdv1.ActRequest{
		Submission: wire.FromSubmission(o.Submission), Target: o.Target, Name: o.Action.Name, Args: o.Action.Args,
		Agent: o.Agent, Timeout: durationpb.New(o.Timeout), By: o.By,
	})
	if err != nil {
		return ActionResult{}, c.translate(err)
	}
	done := ActionResult{Agent: response.GetAgent(), Warnings: response.GetWarnings()}
	decoder := json.NewDecoder(bytes.NewReader(response.GetAnswer()))
	decoder.UseNumber()
	if err := decoder.Decode(&done.Answer); err != nil {
		return ActionResult{}, fmt.Errorf("read the answer of agent %s: %w", done.Agent, err)
	}
	return done, nil
}
