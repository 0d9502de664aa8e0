package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/cli/clitest"
)

func TestCommandLinesInDocumentsHaveFlagsThatExist(t *testing.T) {
	lines, err := clitest.Documented("../..", "benchd")
	require.NoError(t, err)
	require.Greater(t, len(lines), 10)
	for _, line := range lines {
		_, err := clitest.Check(program().Tree(cli.Streams{}), line)
		require.NoError(t, err, "%s: benchd %v", line.Place, line.Args)
	}
}
