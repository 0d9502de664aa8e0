package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"

	"github.com/benchd/benchd/internal/audit"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// portion is the size of the pieces in which a suite is transferred.
const portion = 256 << 10

// Export streams an ended suite as one file.
func (c *Coordinator) Export(req *benchdv1.ExportRequest, stream grpc.ServerStreamingServer[benchdv1.ExportResponse]) error {
	return wire.ToStatus(c.export(stream.Context(), req.GetId(), stream.Send))
}

func (c *Coordinator) export(ctx context.Context, id string, send func(*benchdv1.ExportResponse) error) error {
	t, err := c.newTransfer("export suite " + id)
	if err != nil {
		return err
	}
	defer t.close()
	if err := c.results.Export(ctx, id, t.out); err != nil {
		return err
	}
	in, err := t.written()
	if err != nil {
		return fmt.Errorf("export suite %s: %w", id, err)
	}
	return pieces(ctx, in, func(piece []byte) error { return send(&benchdv1.ExportResponse{Chunk: piece}) })
}

// Import stores a suite that was exported, or files of another program.
func (c *Coordinator) Import(stream grpc.ClientStreamingServer[benchdv1.ImportRequest, benchdv1.ImportResponse]) error {
	first, err := stream.Recv()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	pieces := &pieceReader{receive: stream.Recv, left: first.GetChunk()}
	var id string
	if header := first.GetForeign(); header != nil {
		id, err = c.importForeign(stream.Context(), header, pieces)
	} else {
		id, err = c.importSuite(stream.Context(), pieces)
	}
	if err != nil {
		return wire.ToStatus(err)
	}
	audit.Note(stream.Context(), "suite", id)
	return stream.SendAndClose(&benchdv1.ImportResponse{Id: id})
}

// importSuite stores a suite that was exported.
func (c *Coordinator) importSuite(ctx context.Context, from io.Reader) (string, error) {
	defer c.imports.Add(-1)
	if c.imports.Add(1) > maxImports {
		return "", wire.Errorf(wire.ErrLimit, "import suite: %d imports are in progress, the maximum: try again when one has ended", maxImports)
	}
	return c.results.Import(ctx, from)
}

// pieceReader reads the pieces of a stream as one io.Reader.
type pieceReader struct {
	receive func() (*benchdv1.ImportRequest, error)
	left    []byte
}

func (r *pieceReader) Read(b []byte) (int, error) {
	for len(r.left) == 0 {
		m, err := r.receive()
		if err != nil {
			return 0, err // io.EOF at the end
		}
		r.left = m.GetChunk()
	}
	n := copy(b, r.left)
	r.left = r.left[n:]
	return n, nil
}
