package main

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/all"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestFlagsKeysVariablesAndDocumentMatch(t *testing.T) {
	const document = "../../docs/benchctl.md"
	p := program(all.Targets())
	require.Empty(t, p.Flaws())
	if *update {
		require.NoError(t, os.WriteFile(document, []byte(p.Reference()), 0o600))
	}
	content, err := os.ReadFile(document)
	require.NoError(t, err)
	require.Equal(t, string(content), p.Reference(), "go test ./cmd/benchctl -update rewrites the document")
}
