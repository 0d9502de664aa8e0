package property_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/property"
)

func TestReadFillsInDefaultsAndReportsAllMistakes(t *testing.T) {
	keys := []property.Key{
		{Name: "rows", Kind: property.Int, Default: "10", Max: 100},
		{Name: "wait", Kind: property.Duration, Default: "1s", Max: 60},
		{Name: "share", Kind: property.Percent, Default: "0"},
		{Name: "on", Kind: property.Bool, Default: "false"},
		{Name: "names", Kind: property.List},
	}
	v, err := property.Read(map[string]string{"wait": "1500ms", "share": "5%", "names": "a,b", "another": "is not asked for"}, keys)
	require.NoError(t, err)
	require.Equal(t, property.Values{"rows": "10", "wait": "1.5s", "share": "0.05", "on": "false", "names": "a,b"}, v)
	require.Equal(t, 10, v.Int("rows"))
	require.Equal(t, 1500*time.Millisecond, v.Duration("wait"))
	require.InDelta(t, 0.05, v.Float("share"), 0)
	require.False(t, v.Bool("on"))
	require.Equal(t, []string{"a", "b"}, v.List("names"))
	require.Nil(t, v.List("another"))

	_, err = property.Read(map[string]string{"rows": "101", "on": "maybe"}, keys)
	var problems property.Problems
	require.ErrorAs(t, err, &problems)
	require.Equal(t, []string{"rows", "on"}, []string{problems[0].Key, problems[1].Key})
	require.Equal(t, 2, problems.ExitCode())
}
