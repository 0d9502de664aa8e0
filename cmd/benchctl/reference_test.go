package main

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/target/all"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A target whose page has the marker has its commands there.
func TestFlagsKeysVariablesAndDocumentMatch(t *testing.T) {
	const document = "../../docs/benchctl.md"
	p := program(all.Targets())
	require.Empty(t, p.Flaws())
	var elsewhere []string
	for _, one := range all.Targets().Descriptors() {
		page := "docs/" + one.Name + ".md"
		if path := "benchctl admin " + one.Name; doctable.Marks(t, page, "commands") {
			doctable.GeneratedText(t, page, "commands", p.ReferenceOf(path), *update)
			elsewhere = append(elsewhere, path)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(document, []byte(p.Reference(elsewhere...)), 0o600))
	}
	content, err := os.ReadFile(document)
	require.NoError(t, err)
	require.Equal(t, string(content), p.Reference(elsewhere...), "go test ./cmd/benchctl -update rewrites the document")
}
