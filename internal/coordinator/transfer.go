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
	// mostTransfers is how many exports and streams of histograms are served at once.
	mostTransfers = 16
	// stallWithin is how long a peer may take to take a piece.
	stallWithin = time.Minute
)

// transfer copies archived data into a file and sends it from there: while a peer takes its time, no reader of the archive
// waits for it and no transaction keeps the log from being folded away.
type transfer struct {
	c    *Coordinator
	file *os.File
	out  *bufio.Writer
}

// newTransfer makes a file without a name beside the archive. Too many transfers at once are refused.
func (c *Coordinator) newTransfer(what string) (*transfer, error) {
	if c.transfers.Add(1) > mostTransfers {
		c.transfers.Add(-1)
		return nil, wire.Errorf(wire.ErrNotAllowed, "%s: %d exports and reports are being sent already, which is the most: try again when one has ended", what, mostTransfers)
	}
	file, err := os.CreateTemp(filepath.Clean(c.config.DataDir), "transfer-*.tmp")
	if err == nil {
		err = os.Remove(file.Name()) // it lives as long as it is open
	}
	if err != nil {
		c.transfers.Add(-1)
		return nil, fmt.Errorf("%s: make a file for it: %w", what, err)
	}
	return &transfer{c: c, file: file, out: bufio.NewWriterSize(file, portion)}, nil
}

// written ends the writing; what follows reads.
func (t *transfer) written() (*bufio.Reader, error) {
	if err := t.out.Flush(); err != nil {
		return nil, err
	}
	if _, err := t.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(t.file, portion), nil
}

// close lets go of the file.
func (t *transfer) close() {
	t.c.transfers.Add(-1)
	if err := t.file.Close(); err != nil {
		t.c.log.Warn("close the file of a transfer", "error", err)
	}
}

// within sends one piece, and gives up on a peer that does not take it: when the handler of the stream returns then, the
// sending ends, too.
func within(ctx context.Context, limit time.Duration, send func() error) error {
	sent := make(chan error, 1)
	go func() { sent <- quarantine.Guard(send) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-sent:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return wire.Errorf(wire.ErrUnreachable, "the receiver has taken nothing for %s: ask for it again", limit)
	}
}

// pieces sends what is left of a reader.
func pieces(ctx context.Context, from io.Reader, send func([]byte) error) error {
	for {
		// A message may still be read after it was sent, so each has memory of its own.
		piece := make([]byte, portion)
		n, err := io.ReadFull(from, piece)
		if n > 0 {
			if err := within(ctx, stallWithin, func() error { return send(piece[:n]) }); err != nil {
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
