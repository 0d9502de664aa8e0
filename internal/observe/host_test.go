package observe_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/observe"
)

func TestLoopbackHasNoSpeed(t *testing.T) {
	require.Zero(t, observe.LinkSpeed("lo"))
	require.Zero(t, observe.LinkSpeed("no-such-interface"))
}
