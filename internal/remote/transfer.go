package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/benchd/benchd/internal/foreign"
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

// Foreign describes files of another program, which become a suite of one case.
type Foreign struct {
	Name, Case, Note string
	Tags             map[string]string
	SubmittedBy      string
	Stated           foreign.Stated
	Runs             [][]foreign.File // the files of each run
}

// ImportForeign sends files of another program, and returns the id of their suite.
func (c *Client) ImportForeign(ctx context.Context, f Foreign) (id string, err error) {
	header := &benchdv1.ForeignImport{
		Name: f.Name, Case: f.Case, Note: f.Note, Tags: f.Tags, SubmittedBy: f.SubmittedBy, Loop: f.Stated.Loop, Phase: f.Stated.Phase,
		UnitNs: int64(f.Stated.Unit),
	}
	var contents []io.Reader
	for i, files := range f.Runs {
		for _, file := range files {
			header.Files = append(header.Files, &benchdv1.ForeignFile{Name: file.Name, Bytes: uint64(len(file.Content)), Repeat: uint32(i + 1)})
			contents = append(contents, bytes.NewReader(file.Content))
		}
	}
	return c.send(ctx, &benchdv1.ImportRequest{Foreign: header}, io.MultiReader(contents...))
}

// Import sends a file that Export wrote, and returns the id of its suite.
func (c *Client) Import(ctx context.Context, from io.Reader) (id string, err error) {
	return c.send(ctx, nil, from)
}

// send sends a file in pieces, behind a first message if there is one.
func (c *Client) send(ctx context.Context, first *benchdv1.ImportRequest, from io.Reader) (id string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.service.Import(ctx)
	if err != nil {
		return "", c.translate(err)
	}
	if first != nil && stream.Send(first) != nil {
		answer, err := stream.CloseAndRecv()
		return answer.GetId(), c.translate(err)
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
