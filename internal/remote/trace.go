package remote

import (
	"context"
	"errors"
	"fmt"
	"io"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
)

// Upload sends the file of a trace to the coordinator, unless it has the file. card is the text of its card.
func (c *Client) Upload(ctx context.Context, card string, from io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.service.Upload(ctx)
	if err != nil {
		return c.translate(err)
	}
	failed := stream.Send(&benchdv1.UploadRequest{Card: card}) != nil
	for !failed { // after a failure the answer has the reason, or shows that the coordinator has the trace
		piece := make([]byte, portion)
		n, err := io.ReadFull(from, piece)
		if n > 0 {
			failed = stream.Send(&benchdv1.UploadRequest{Chunk: piece[:n]}) != nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read trace: %w", err)
		}
	}
	_, err = stream.CloseAndRecv()
	return c.translate(err)
}
