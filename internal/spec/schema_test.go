package spec

import (
	"encoding/json"
	flags "flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/property"
)

var update = flags.Bool("update", false, "write the committed schema of suite files again")

func TestTheCommittedSchemaIsCurrent(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "suite.schema.json")
	if *update {
		require.NoError(t, os.WriteFile(file, reader().Schema(), 0o644))
	}
	committed, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(committed), string(reader().Schema()), "run go test ./internal/spec -run Schema -update writes it")
}

func TestTheSchemaContainsEveryPropertyOfSuites(t *testing.T) {
	var schema struct {
		Defs map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(reader().Schema(), &schema))
	for _, k := range reader().Keys() {
		require.Equal(t, k.Status != property.Refused, schema.Defs["properties"].Properties[k.Name] != nil, k.Name)
	}
}
