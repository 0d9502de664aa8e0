package action

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
)

func TestEveryDescribedActionHasAFunction(t *testing.T) {
	require.ElementsMatch(t, mongodbspec.Target().ActionNames(), slices.Collect(maps.Keys(functions())))
}
