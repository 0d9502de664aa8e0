package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"

	"github.com/benchd/benchd/internal/archive"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/wire"
)

// portion is the size of the pieces in which a suite travels.
const portion = 256 << 10

// Export streams an ended suite as one file.
func (c *Coordinator) Export(req *benchdv1.ExportRequest, stream grpc.ServerStreamingServer[benchdv1.ExportResponse]) error {
	return wire.ToStatus(c.export(stream.Context(), req.GetId(), stream.Send))
}

func (c *Coordinator) export(ctx context.Context, id string, send func(*benchdv1.ExportResponse) error) error {
	if _, _, err := c.find(ctx, id); err != nil {
		return err
	}
	if record.SuiteOf(id) != id {
		return wire.Errorf(wire.ErrNotAllowed, "%s is one run of a suite: export the whole suite %s", id, record.SuiteOf(id))
	}
	t, err := c.newTransfer("export suite " + id)
	if err != nil {
		return err
	}
	defer t.close()
	err = c.archive.Export(ctx, id, t.out)
	if errors.Is(err, archive.ErrNotEnded) {
		err = wire.Errorf(wire.ErrNotAllowed, "suite %s has not ended: wait for its end with `benchctl watch %s`, or cancel it with `benchctl cancel %s`", id, id, id)
	}
	if err != nil {
		return err
	}
	in, err := t.written()
	if err != nil {
		return fmt.Errorf("export suite %s: %w", id, err)
	}
	return pieces(ctx, in, func(piece []byte) error { return send(&benchdv1.ExportResponse{Chunk: piece}) })
}

// Import takes a suite that was exported.
func (c *Coordinator) Import(stream grpc.ClientStreamingServer[benchdv1.ImportRequest, benchdv1.ImportResponse]) error {
	id, err := c.importSuite(stream.Context(), &pieceReader{receive: stream.Recv})
	if err != nil {
		return wire.ToStatus(err)
	}
	return stream.SendAndClose(&benchdv1.ImportResponse{Id: id})
}

func (c *Coordinator) importSuite(ctx context.Context, from io.Reader) (string, error) {
	id, err := c.archive.Import(ctx, from, c.judgeImported)
	switch {
	case err == nil:
		c.log.Info("suite is imported", "suite", id)
		return id, nil
	case errors.Is(err, archive.ErrExists):
		return "", wire.Errorf(wire.ErrNotAllowed, "%v", err)
	case errors.Is(err, archive.ErrDamaged), errors.Is(err, archive.ErrNewer):
		return "", wire.Errorf(wire.ErrBadSpec, "%v", err)
	case errors.Is(err, archive.ErrFull):
		return "", wire.Errorf(wire.ErrFull, "%v", err)
	}
	return "", err
}

// pieceReader reads what comes in pieces.
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
