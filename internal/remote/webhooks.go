package remote

import (
	"context"
	"encoding/json"
	"fmt"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/webhook"
	"github.com/benchd/benchd/internal/wire"
)

// Webhooks returns the hooks of the coordinator, and why their changed file is not in use; empty if it is.
func (c *Client) Webhooks(ctx context.Context) (hooks []webhook.Status, broken string, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience.answer)
	defer cancel()
	answer, err := c.service.Webhooks(ctx, &benchdv1.WebhooksRequest{})
	if err != nil {
		return nil, "", c.olderWebhooks(err)
	}
	hooks = []webhook.Status{}
	for _, text := range answer.GetWebhooks() {
		var s webhook.Status
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, "", fmt.Errorf("read a webhook: %w", err)
		}
		hooks = append(hooks, s)
	}
	return hooks, answer.GetBroken(), nil
}

// TestWebhook lets the coordinator send a test to a hook. It returns the status of HTTP, 0 for none, and why the receiver did not
// accept the test; empty if it did.
func (c *Client) TestWebhook(ctx context.Context, name string) (status int, problem string, err error) {
	ctx, cancel := context.WithTimeout(ctx, webhook.MaxTimeout+c.patience.answer)
	defer cancel()
	answer, err := c.service.TestWebhook(ctx, &benchdv1.TestWebhookRequest{Name: name})
	if err != nil {
		return 0, "", c.olderWebhooks(err)
	}
	return int(answer.GetHttpStatus()), answer.GetError(), nil
}

func (c *Client) olderWebhooks(err error) error {
	if wire.Unanswered(err) {
		return wire.Errorf(wire.ErrNotFound, "the coordinator at %s is too old to have webhooks: install the same release on both", c.where)
	}
	return c.translate(err)
}
