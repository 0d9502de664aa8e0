package remote

import (
	"context"

	"google.golang.org/grpc"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// Submission returns what was submitted as a suite, and the names of the properties and files that were left out because they may contain
// a secret.
func (c *Client) Submission(ctx context.Context, id string) (r Request, withheld []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience.answer)
	defer cancel()
	resp, err := c.service.Submission(ctx, &benchdv1.SubmissionRequest{Id: id}, grpc.MaxCallRecvMsgSize(wire.MaxMessage))
	if err != nil {
		return r, nil, c.translate(err)
	}
	m := resp.GetSubmit()
	r = Request{
		Submission: wire.ToSubmission(m.GetSubmission()), Agents: int(m.GetAgents()), Select: m.GetSelect(), OnAgentLoss: FailOnLoss,
	}
	if m.GetOnAgentLoss() == benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_CONTINUE {
		r.OnAgentLoss = ContinueOnLoss
	}
	return r, resp.GetWithheld(), nil
}
