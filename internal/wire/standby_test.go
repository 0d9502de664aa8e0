package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/benchd/benchd/internal/wire"
)

func TestAStandbyNamesItsLeader(t *testing.T) {
	sent := wire.ToStatus(&wire.StandbyError{Leader: "b:7070"})
	require.Equal(t, codes.Unavailable, status.Code(sent), "a peer of an older build tries again")
	back := wire.FromStatus(sent)
	require.ErrorIs(t, back, wire.ErrStandby)
	require.ErrorIs(t, back, wire.ErrUnreachable)
	require.Equal(t, "b:7070", wire.LeaderOf(back))
	require.EqualError(t, back, "it is a standby of b:7070")
}

func TestAStandbyMayKnowNoLeader(t *testing.T) {
	// The last three are what a broken peer could send.
	for _, leader := range []string{"", "no port", ":", strings.Repeat("h", 300) + ":1"} {
		back := wire.FromStatus(wire.ToStatus(&wire.StandbyError{Leader: leader}))
		require.ErrorIs(t, back, wire.ErrStandby)
		require.Empty(t, wire.LeaderOf(back))
		require.EqualError(t, back, "it is a standby, and no coordinator leads now")
	}
	require.NotErrorIs(t, wire.FromStatus(status.Error(codes.Unavailable, "gone")), wire.ErrStandby)
	require.Empty(t, wire.LeaderOf(wire.Errorf(wire.ErrUnreachable, "gone")))
}
