package wire_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/wire"
)

func TestProblemsTravelWithTheirPlaces(t *testing.T) {
	problems := property.Problems{{Place: "a.yaml:3:1", Key: "treads", Text: "unknown property"}, {Text: "nothing to run"}}
	back := wire.FromStatus(wire.ToStatus(wire.BadSpec(problems)))
	require.ErrorIs(t, back, wire.ErrBadSpec)
	require.EqualError(t, back, problems.Error())
	got, is := errors.AsType[property.Problems](back)
	require.True(t, is)
	require.Equal(t, problems, got)

	many := property.Problems{{Place: "a", Text: strings.Repeat("x", 20<<10)}} // too long for headers: the text has them
	back = wire.FromStatus(wire.ToStatus(wire.BadSpec(many)))
	require.ErrorIs(t, back, wire.ErrBadSpec)
	require.EqualError(t, back, many.Error())
	require.NotErrorAs(t, back, new(property.Problems))
	require.ErrorIs(t, wire.BadSpec(errors.New("other")), wire.ErrBadSpec)
}

func TestRefusalsByPolicyStayApart(t *testing.T) {
	back := wire.FromStatus(wire.ToStatus(wire.Errorf(wire.ErrDenied, "anna may not")))
	require.ErrorIs(t, back, wire.ErrDenied)
	require.ErrorIs(t, back, wire.ErrNotAllowed)
	require.EqualError(t, back, "anna may not")
	require.NotErrorIs(t, wire.FromStatus(wire.ToStatus(wire.Errorf(wire.ErrNotAllowed, "not ended"))), wire.ErrDenied)
}
