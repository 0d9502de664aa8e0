package coordinator

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc"

	"github.com/benchd/benchd/internal/audit"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// maxTrace bounds the file of a trace: some thousand million operations.
	maxTrace = 16 << 30
	// keepTrace is how long a trace is kept that no run has fetched.
	keepTrace = 90 * 24 * time.Hour
)

// traceFile returns the name of the file with a trace.
func (c *Coordinator) traceFile(id string) string {
	return filepath.Join(c.config.DataDir, "traces", id+".trace")
}

// Upload receives a trace, and stores it by the digest of its card.
func (c *Coordinator) Upload(stream grpc.ClientStreamingServer[benchdv1.UploadRequest, benchdv1.UploadResponse]) error {
	id, err := c.upload(stream)
	if err != nil {
		return wire.ToStatus(err)
	}
	return stream.SendAndClose(&benchdv1.UploadResponse{Id: id})
}

func (c *Coordinator) upload(stream grpc.ClientStreamingServer[benchdv1.UploadRequest, benchdv1.UploadResponse]) (string, error) {
	first, err := stream.Recv()
	if err != nil {
		return "", fmt.Errorf("receive trace: %w", err)
	}
	card, err := trace.ParseCard([]byte(first.GetCard()))
	if err != nil {
		return "", wire.Errorf(wire.ErrBadSpec, "receive trace: %v", err)
	}
	id := card.ID()
	audit.Note(stream.Context(), "trace", id)
	if c.hasTrace(id) {
		return id, nil
	}
	if err := c.beginTransfer("receive trace"); err != nil {
		return "", err
	}
	defer c.transfers.Add(-1)
	c.removeTraces()
	return id, c.receiveTrace(card, func() ([]byte, error) {
		m, err := stream.Recv()
		return m.GetChunk(), err
	})
}

// receiveTrace stores the pieces of a trace, in the archive, too, if several coordinators share it.
func (c *Coordinator) receiveTrace(card trace.Card, next func() ([]byte, error)) error {
	return c.writeTrace(card, next, func(file *os.File, size int64) error { return c.shareTrace(card, file, size) })
}

// writeTrace writes the file of a trace. It appears when it is whole and verified, and when keep has succeeded, which may be nil.
func (c *Coordinator) writeTrace(card trace.Card, next func() ([]byte, error), keep func(file *os.File, size int64) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(c.traceFile("")), 0o700); err != nil {
		return fmt.Errorf("store trace: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(c.traceFile("")), "*.tmp")
	if err != nil {
		return fmt.Errorf("store trace: %w", err)
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if err == nil {
			err = os.Rename(file.Name(), c.traceFile(card.ID()))
		}
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	size := int64(0)
	for {
		piece, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("receive trace: %w", err)
		}
		if size += int64(len(piece)); size > maxTrace {
			return wire.Errorf(wire.ErrLimit, "receive trace: it has more than %d GiB: divide it by time", maxTrace>>30)
		}
		if _, err := file.Write(piece); err != nil {
			return fmt.Errorf("store trace: %w", err)
		}
	}
	if _, err := trace.OpenVerified(file, size, card); err != nil {
		return wire.Errorf(wire.ErrBadSpec, "receive trace: %v", err)
	}
	err = file.Sync()
	if err == nil && keep != nil {
		err = keep(file, size)
	}
	if err != nil {
		return fmt.Errorf("store trace: %w", err)
	}
	return nil
}

// removeTraces removes traces that were not used for a long time, unless a suite is active, which may need one of them.
func (c *Coordinator) removeTraces() {
	c.mu.Lock()
	active := len(c.suites)
	c.mu.Unlock()
	if active > 0 {
		return
	}
	c.removeKeptTraces()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(c.traceFile("")), "*"))
	if err != nil {
		return
	}
	for _, name := range files {
		info, err := os.Stat(name)
		if err == nil && c.clock.Wall().Sub(info.ModTime()) > keepTrace {
			c.log.Info("trace is removed: no run has used it for a long time", "file", name, "error", os.Remove(name))
		}
	}
}

// Trace streams a trace to an agent.
func (c *Coordinator) Trace(req *benchdv1.TraceRequest, stream grpc.ServerStreamingServer[benchdv1.TraceResponse]) error {
	return wire.ToStatus(c.sendTrace(stream.Context(), req.GetId(), func(piece []byte) error {
		return stream.Send(&benchdv1.TraceResponse{Chunk: piece})
	}))
}

func (c *Coordinator) sendTrace(ctx context.Context, id string, send func([]byte) error) error {
	if !filepath.IsLocal(id) || filepath.Base(id) != id {
		return wire.Errorf(wire.ErrBadSpec, "send trace: invalid id %q", id)
	}
	if err := c.fetchTrace(id); err != nil {
		return fmt.Errorf("fetch trace %s from the archive: %w", id, err)
	}
	file, err := os.Open(c.traceFile(id))
	if errors.Is(err, fs.ErrNotExist) {
		return wire.Errorf(wire.ErrNotFound, "send trace: the coordinator no longer has trace %s: submit the suite again", id)
	}
	if err != nil {
		return fmt.Errorf("send trace: %w", err)
	}
	defer func() { _ = file.Close() }()
	now := c.clock.Wall()
	_ = os.Chtimes(file.Name(), now, now) // it only delays the removal
	return pieces(ctx, bufio.NewReaderSize(file, portion), send)
}

// hasTraces checks that the coordinator has the traces of a suite.
func (c *Coordinator) hasTraces(suite *plan.Suite) error {
	for _, one := range suite.Cases {
		if one.Settings.Trace == nil {
			continue
		}
		if !c.hasTrace(one.Settings.Trace.ID()) {
			return wire.Errorf(wire.ErrBadSpec, "the coordinator does not have trace %s (%s): submit with a benchctl of this version, which sends it", one.Properties["trace"], one.Settings.Trace.ID())
		}
	}
	return nil
}
