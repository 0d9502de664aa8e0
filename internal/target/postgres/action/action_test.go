package action

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
)

func TestEveryDescribedActionHasAFunction(t *testing.T) {
	require.ElementsMatch(t, postgresspec.Target().ActionNames(), slices.Collect(maps.Keys(functions())))
}
