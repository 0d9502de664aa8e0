package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/wire"
)

// traceFile is a fetched trace: an unlinked file, which exists as long as it is open.
type traceFile struct {
	*trace.File

	file *os.File
}

// fetchTrace fetches a trace from the coordinator into the spool, or the temporary folder, and verifies it.
func (a *Agent) fetchTrace(ctx context.Context, card trace.Card) (fetched *traceFile, err error) {
	a.mu.Lock()
	client := a.client
	a.mu.Unlock()
	if client == nil {
		return nil, errors.New("fetch trace: there is no connection to the coordinator")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	file, err := os.CreateTemp(a.config.Spool, "trace-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("fetch trace: %w", err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	if err := os.Remove(file.Name()); err != nil {
		return nil, fmt.Errorf("fetch trace: %w", err)
	}
	stream, err := client.Trace(ctx, &benchdv1.TraceRequest{Id: card.ID()})
	if err != nil {
		return nil, fmt.Errorf("fetch trace: %w", wire.FromStatus(err))
	}
	size := int64(0)
	for {
		piece, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("fetch trace: %w", wire.FromStatus(err))
		}
		if _, err := file.Write(piece.GetChunk()); err != nil {
			return nil, fmt.Errorf("fetch trace: %w", err)
		}
		size += int64(len(piece.GetChunk()))
	}
	opened, err := trace.OpenVerified(file, size, card)
	if err != nil {
		return nil, fmt.Errorf("fetch trace: %w", err)
	}
	return &traceFile{opened, file}, nil
}

// close closes the trace, if there is one.
func (t *traceFile) close() error {
	if t == nil {
		return nil
	}
	return t.file.Close()
}

// of returns the trace, if there is one.
func (t *traceFile) of() *trace.File {
	if t == nil {
		return nil
	}
	return t.File
}
