package descriptor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

func TestTargetsAreFoundByNameAndAlias(t *testing.T) {
	list := descriptor.List{{Name: "null", Aliases: []string{"basic"}}, {Name: "map", Where: "map.address=m1"}, {Name: "tree", Where: "tree.root=t1"}}
	require.Equal(t, []string{"null", "map", "tree"}, list.Names())
	require.Equal(t, "map", list.Example().Name)
	require.Empty(t, list[:1].Example().Name)
	found, ok := list.Find("map")
	require.True(t, ok)
	require.Equal(t, "map", found.Name)
	_, ok = list.Find("basic")
	require.False(t, ok, "an alias is not a name")
	name, ok := list.ByAlias("basic")
	require.True(t, ok)
	require.Equal(t, "null", name)
	_, ok = list.ByAlias("null")
	require.False(t, ok, "a name is not an alias")
}

func TestKeysThatTargetsShareAreListedOnce(t *testing.T) {
	shared := []property.Key{{Name: "host"}, {Name: "port"}}
	list := descriptor.List{
		{Name: "one", Keys: shared},
		{Name: "two", Keys: append([]property.Key{{Name: "own"}}, shared...)},
	}
	for range 2 { // the first call must not change the targets
		require.Equal(t, []property.Key{
			{Name: "host", Targets: []string{"one", "two"}},
			{Name: "port", Targets: []string{"one", "two"}},
			{Name: "own", Targets: []string{"two"}},
		}, list.Keys())
	}
}

func TestActionsThatTargetsShareAreListedOnce(t *testing.T) {
	flush, split := descriptor.Action{Name: "flush"}, descriptor.Action{Name: "split", Takes: []string{"key"}}
	list := descriptor.List{
		{Name: "one", Actions: []descriptor.Action{{Name: "count", AdminOnly: true}, flush}},
		{Name: "two", Actions: []descriptor.Action{flush, split}},
	}
	require.Equal(t, []descriptor.Action{flush, split}, list.Actions(), "what a run can do")
	require.Equal(t, "major-compact", descriptor.Action{Name: "major_compact"}.Command())
}

func TestPropertiesOfAnEmbeddedSystemHaveItsPrefix(t *testing.T) {
	plain := descriptor.Target{Name: "store"}
	require.False(t, plain.Embedded.Possible())
	own := descriptor.Target{
		Name: "trial", Embedded: descriptor.Embedded{Prefix: "trial.", Elsewhere: "store"},
		Keys: []property.Key{{Name: "port"}, {Name: "trial.size"}, {Name: "trial.faults"}},
	}
	require.True(t, own.Embedded.Possible())
	require.Equal(t, []string{"trial.faults", "trial.size"}, own.Embedded.Of([]string{"port", "trial.faults", "threads", "trial.size"}))
	require.Equal(t, "trial.size", own.EmbedsOther(map[string]string{"port": "1", "trial.size": "1", "trial.faults": "a"}, map[string]string{"port": "2", "trial.size": "2"}))
	require.Empty(t, own.EmbedsOther(map[string]string{"port": "1", "trial.size": "1"}, map[string]string{"port": "2", "trial.size": "1"}))
}

func TestSharedItemsOfTargetsAreListedOnce(t *testing.T) {
	list := descriptor.List{
		{Name: "one", Exclusive: [][2]string{{"a", "b"}}, Filling: []string{"a"}, Watched: true},
		{Name: "two", Exclusive: [][2]string{{"a", "b"}, {"a", "c"}}, Filling: []string{"a", "b"}},
	}
	require.Equal(t, [][2]string{{"a", "b"}, {"a", "c"}}, list.Exclusive())
	require.Equal(t, []string{"a", "b"}, list.Filling())
	require.Equal(t, []string{"one"}, list.Watched())
}
