package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/trace"
)

// openTrace opens a trace and verifies it. The error is that of a user's file.
func openTrace(name string) (*os.File, *trace.File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	var opened *trace.File
	if err == nil {
		opened, err = trace.Open(file, info.Size())
	}
	if err == nil {
		err = opened.Verify()
	}
	if err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return file, opened, nil
}

// isTrace reports whether a file is a trace.
func isTrace(name string) bool {
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	return trace.Is(file)
}

// attachment returns what a submission carries of a file: its content, or the card of a trace, which is sent before.
func (f *submissionFlags) attachment(name string) ([]byte, error) {
	if !isTrace(name) {
		return read(name)
	}
	file, opened, err := openTrace(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if f.traces == nil {
		f.traces = make(map[string]trace.Card)
	}
	f.traces[name] = opened.Card
	return []byte(opened.Card.Text()), nil
}

// upload sends the traces of a submission to the coordinator.
func (f *submissionFlags) upload(ctx context.Context, client *remote.Client) error {
	for name, card := range f.traces {
		file, opened, err := openTrace(name)
		if err == nil && opened.Card.ID() != card.ID() {
			err = errors.New("the file has changed")
		}
		if err != nil {
			return &cli.Error{Code: cli.Usage, Err: fmt.Errorf("send trace %s: %w", name, err)}
		}
		err = client.Upload(ctx, card.Text(), file)
		_ = file.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
