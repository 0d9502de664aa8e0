package spec

import (
	"encoding/json"
	flags "flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/property"
)

var update = flags.Bool("update", false, "write the tables of docs/properties.md")

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
