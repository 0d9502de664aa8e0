package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/benchd/benchd/internal/audit"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// Audit calls each with the records of the audit log that a query selects, the oldest first, and with their lines.
func (c *Client) Audit(ctx context.Context, q audit.Query, each func(line []byte, r audit.Record) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.service.Audit(ctx, &benchdv1.AuditRequest{Since: wire.FromTime(q.Since), Who: q.Who, Refused: q.Refused})
	if err != nil {
		return c.translate(err)
	}
	for {
		m, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case wire.Unanswered(err):
			return wire.Errorf(wire.ErrNotFound, "the coordinator at %s is too old to keep an audit log: install the same release on both", c.where)
		case err != nil:
			return c.translate(err)
		}
		var r audit.Record
		if err := json.Unmarshal(m.GetLine(), &r); err != nil {
			return fmt.Errorf("read a record of the audit log: %w", err)
		}
		if err := each(m.GetLine(), r); err != nil {
			return err
		}
	}
}
