package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/phrase"
	"github.com/benchd/benchd/internal/target/all"
)

func TestTheEndOfASuiteDeterminesTheExitCode(t *testing.T) {
	for _, test := range []struct {
		text, want string
		code       cli.Code
	}{
		{`{"kind": "run", "id": "S.1", "status": "complete"}`, "", cli.Good},
		{`{"kind": "run", "id": "S.1", "status": "failed", "reason": "agent b was lost"}`, "run S.1 failed: agent b was lost", cli.Failed},
		{
			`{"kind": "run", "id": "S.1", "status": "failed", "reason": "NOT_FOUND above 0.1 %", "limit_violated": true}`,
			"run S.1 violated a limit: NOT_FOUND above 0.1 %", cli.Violated,
		},
		{`{"kind": "run", "id": "S.1", "status": "partial", "missing": ["agent b: windows 14–20"]}`, "run S.1 is partial; missing: agent b: windows 14–20", cli.Incomplete},
		{`{"kind": "run", "id": "S.1", "status": "cancelled", "reason": "cancelled by me@here"}`, "run S.1 was cancelled by me@here", cli.Incomplete},
		{`{"kind": "run", "id": "S.1", "status": "running"}`, "run S.1 is running", cli.Incomplete},
		{`{"kind": "run", "id": "S.1", "status": "sleeping"}`, `run S.1 has the unknown status "sleeping"`, cli.Failed},
		{
			`{"kind": "suite", "id": "S", "status": "failed", "runs": [{"id": "S.1", "status": "complete"},
				{"id": "S.2", "status": "failed", "reason": "too many errors", "limit_violated": true}]}`,
			"suite S violated a limit: S.2 too many errors", cli.Violated,
		},
		{
			`{"kind": "suite", "id": "S", "status": "partial", "runs": [{"id": "S.1", "status": "partial", "missing": ["x"]}, {"id": "S.2", "status": "partial", "missing": ["y"]}]}`,
			"suite S is partial; missing: x; y", cli.Incomplete,
		},
		{`{`, "read result: unexpected end of JSON input", cli.Failed},
	} {
		err := verdict([]byte(test.text))
		require.Equal(t, test.code, cli.CodeOf(err), test.text)
		if test.want != "" {
			require.EqualError(t, err, test.want)
		}
	}
}

func TestTheResultIsPrintedInEachFormat(t *testing.T) {
	const suite = `{"schema": 1, "kind": "suite", "id": "S", "status": "complete", "runs": [], "of_a_later_version": 1}`
	var out bytes.Buffer
	c := &cli.Context{Streams: cli.Streams{Out: &out, Err: io.Discard}}
	require.NoError(t, printResult(c, all.Targets(), []byte(suite), "json", phrase.Translator{}))
	require.Contains(t, out.String(), "\n  \"of_a_later_version\": 1\n")
	require.Equal(t, byte('\n'), out.Bytes()[out.Len()-1])
	out.Reset()
	require.NoError(t, printResult(c, all.Targets(), []byte(suite), "table", phrase.Translator{}))
	require.Contains(t, out.String(), "suite S")
	err := printResult(c, all.Targets(), []byte(suite), "ycsb", phrase.Translator{})
	require.ErrorContains(t, err, "YCSB's format has room for one")
	require.Equal(t, cli.Usage, cli.CodeOf(err))
	require.Error(t, printResult(c, all.Targets(), []byte("{"), "json", phrase.Translator{}))
	require.Error(t, printResult(c, all.Targets(), []byte("{"), "table", phrase.Translator{}))
}

func TestASignalBeforeTheSuiteIsQueuedInterruptsTheSubmission(t *testing.T) {
	signals := make(chan os.Signal, 1)
	require.NoError(t, begin(t.Context(), signals, "interrupted", func(context.Context) error { return nil }))
	broken := errors.New("broken")
	require.ErrorIs(t, begin(t.Context(), signals, "interrupted", func(context.Context) error { return broken }), broken)

	signals <- os.Interrupt
	err := begin(t.Context(), signals, "interrupted", func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	})
	require.EqualError(t, err, "interrupted")
	require.Equal(t, cli.Incomplete, cli.CodeOf(err))

	// The coordinator was quicker: then the signal is left to follow.
	signals <- os.Interrupt
	require.NoError(t, begin(t.Context(), signals, "interrupted", func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	}))
	require.Equal(t, os.Interrupt, <-signals)
}
