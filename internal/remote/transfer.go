package remote

import (
	"context"
	"errors"
	"fmt"
	"io"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
)

// portion is the size of the pieces in which a file is sent.
const portion = 256 << 10

// Export writes an ended suite as one file.
func (c *Client) Export(ctx context.Context, id string, to io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.service.Export(ctx, &benchdv1.ExportRequest{Id: id})
	if err != nil {
		return c.translate(err)
	}
	for {
		piece, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return c.translate(err)
		}
		if _, err := to.Write(piece.GetChunk()); err != nil {
			return fmt.Errorf("write suite %s: %w", id, err)
		}
	}
}

// Import sends a file that Export wrote, and returns the id of its suite.
func (c *Client) Import(ctx context.Context, from io.Reader) (id string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.service.Import(ctx)
	if err != nil {
		return "", c.translate(err)
	}
	for buffer := make([]byte, portion); ; {
		n, err := from.Read(buffer)
		if n > 0 {
			piece := &benchdv1.ImportRequest{Chunk: append([]byte(nil), buffer[:n]...)}
			if stream.Send(piece) != nil {
				break // the answer has the reason
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("read file: %w", err)
		}
	}
	answer, err := stream.CloseAndRecv()
	return answer.GetId(), c.translate(err)
}
