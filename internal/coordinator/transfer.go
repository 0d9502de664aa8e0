package coordinator

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// maxTransfers is the maximum number of concurrent exports, streams of histograms, and imports of foreign files.
	maxTransfers = 16
	// maxImports is the maximum number of concurrent imports of suites: each has rows of up to 64 MiB in memory.
	maxImports = 2
	// stallWithin is how long a peer may take to accept a piece.
	stallWithin = time.Minute
)

// transfer copies archived data into a file and streams the file: a slow peer blocks no reader of the archive, and no
// transaction that delays a checkpoint of its log stays open.
type transfer struct {
	c    *Coordinator
	file *os.File
	out  *bufio.Writer
}

// newTransfer creates an unlinked file beside the archive. It fails when too many transfers are in progress.
func (c *Coordinator) newTransfer(what string) (*transfer, error) {
	if err := c.beginTransfer(what); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Clean(c.config.DataDir), "transfer-*.tmp")
	if err == nil {
		err = os.Remove(file.Name()) // the file exists as long as it is open
	}
	if err != nil {
		c.transfers.Add(-1)
		return nil, fmt.Errorf("%s: create temporary file: %w", what, err)
	}
	return &transfer{c: c, file: file, out: bufio.NewWriterSize(file, portion)}, nil
}

// beginTransfer counts a transfer, which ends with c.transfers.Add(-1).
func (c *Coordinator) beginTransfer(what string) error {
	if c.transfers.Add(1) > maxTransfers {
		c.transfers.Add(-1)
		return wire.Errorf(wire.ErrLimit, "%s: %d exports, imports and reports are in progress, the maximum: try again when one has ended", what, maxTransfers)
	}
	return nil
}

// written ends the writing and returns a reader from the start of the file.
func (t *transfer) written() (*bufio.Reader, error) {
	if err := t.out.Flush(); err != nil {
		return nil, err
	}
	if _, err := t.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(t.file, portion), nil
}

// close closes the file, which deletes it.
func (t *transfer) close() {
	t.c.transfers.Add(-1)
	if err := t.file.Close(); err != nil {
		t.c.log.Warn("close the file of a transfer", "error", err)
	}
}

// within sends one piece, and returns an error if the peer does not accept it in time: the handler of the stream returns
// then, which ends the sending, too.
func within(ctx context.Context, send func() error) error {
	sent := make(chan error, 1)
	go func() { sent <- quarantine.Guard(send) }()
	timer := time.NewTimer(stallWithin)
	defer timer.Stop()
	select {
	case err := <-sent:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return wire.Errorf(wire.ErrUnreachable, "the receiver has accepted nothing for %s: request it again", stallWithin)
	}
}

// pieces sends the rest of a reader.
func pieces(ctx context.Context, from io.Reader, send func([]byte) error) error {
	for {
		// gRPC may read a message after Send returns, so each piece has a buffer of its own.
		piece := make([]byte, portion)
		n, err := io.ReadFull(from, piece)
		if n > 0 {
			if err := within(ctx, func() error { return send(piece[:n]) }); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return fmt.Errorf("read the file of a transfer: %w", err)
		}
	}
}
