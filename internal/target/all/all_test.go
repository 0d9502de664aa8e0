package all_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/all"
)

// A target can be embedded where its description says so.
func TestTargetsAreEmbeddedAsTheyAreDescribed(t *testing.T) {
	for _, one := range all.Targets() {
		require.Equal(t, one.Embedded.Possible(), one.Embed != nil, one.Name)
		if one.Embedded.Possible() {
			require.Contains(t, all.Targets().Names(), one.Embedded.Elsewhere, one.Name)
		}
	}
}

// A target whose columns are text refuses values of any bytes.
func TestRatiosOfValuesNeedColumnsOfBytes(t *testing.T) {
	texts := 0
	for _, one := range all.Targets() {
		_, _, err := all.Targets().Reader().Parse(spec.Submission{Properties: []spec.Setting{
			{Key: "db", Value: one.Name}, {Key: "recordcount", Value: "10"}, {Key: "operationcount", Value: "10"}, {Key: "value.ratio", Value: "0.5"},
		}})
		if one.TextValues == "" {
			if err != nil {
				require.NotContains(t, err.Error(), "value.ratio", one.Name)
			}
			continue
		}
		texts++
		require.ErrorContains(t, err, "-p: value.ratio: needs values of any bytes, but "+one.TextValues+"; remove it for YCSB's values, which are printable characters")
	}
	require.Equal(t, 2, texts)
}

// The description of a target's actions is consistent.
func TestActionsOfEveryTargetAreSound(t *testing.T) {
	for _, one := range all.Targets() {
		names := make(map[string]descriptor.Action)
		for _, a := range one.Actions {
			require.NotContains(t, names, a.Name, "%s has it once", one.Name)
			names[a.Name] = a
			require.LessOrEqual(t, a.Needs, len(a.Takes), a.Name)
			if a.Verb.Args != "" || a.Verb.Required {
				require.NotEmpty(t, a.Takes, "%s: what the command's argument is", a.Name)
			}
			for _, flag := range a.Verb.Flags {
				require.Contains(t, slices.Concat(a.Takes, a.Named), flag.Argument, "%s --%s", a.Name, flag.Name)
			}
		}
		for _, name := range one.Between {
			require.Contains(t, names, name, "between the phases of a run on %s", one.Name)
			require.False(t, names[name].AdminOnly, name)
			require.Zero(t, names[name].Needs, name)
		}
		if one.Probe != "" {
			require.Contains(t, names, one.Probe, "the probe of %s", one.Name)
		}
		require.Equal(t, len(names) > 0, one.Act != nil, "%s has an actor where it has actions", one.Name)
	}
}

// The schema for editors of suite files has the properties of all targets.
func TestTheCommittedSchemaIsCurrent(t *testing.T) {
	file := filepath.Join("..", "..", "..", "docs", "suite.schema.json")
	schema := all.Targets().Reader().Schema()
	if *update {
		require.NoError(t, os.WriteFile(file, schema, 0o644))
	}
	committed, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(committed), string(schema), "go test ./internal/target/all -run Schema -update writes it")
}
