package descriptor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
)

func TestAColumnIsReadFromFactsAndTelemetry(t *testing.T) {
	r := descriptor.Reported{
		Facts: map[string]string{"rows": "7", "version": "2.6.4"},
		Observed: func(name string) (first, last float64, reported bool) {
			return 3, 5, name == "servers"
		},
	}
	require.InDelta(t, 7.0, *descriptor.Fact("rows")(r), 0)
	require.Nil(t, descriptor.Fact("version")(r), "not a number")
	require.Nil(t, descriptor.Fact("regions")(r))
	require.InDelta(t, 3.0, *descriptor.First("servers")(r), 0)
	require.InDelta(t, 5.0, *descriptor.Last("servers")(r), 0)
	require.Nil(t, descriptor.First("regions")(r))
	require.Nil(t, descriptor.Last("regions")(r))
}

func TestColumnsThatTargetsShareAreListedOnce(t *testing.T) {
	one, two := descriptor.Column{Name: "one"}, descriptor.Column{Name: "two", Unit: "rows"}
	list := descriptor.List{{Name: "a", Columns: []descriptor.Column{one}}, {Name: "b"}, {Name: "c", Columns: []descriptor.Column{one, two}}}
	require.Equal(t, []descriptor.Column{one, two}, list.Columns())
}
