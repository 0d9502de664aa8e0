package result_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// Law 10: builds that differ within a run are named.
func TestMixedBuilds(t *testing.T) {
	document := func(coordinator string, agents ...string) result.Run {
		header := result.Run{Provenance: result.Provenance{Benchd: coordinator}}
		for i, version := range agents {
			header.Provenance.Agents = append(header.Provenance.Agents, result.Agent{Name: string(rune('a' + i)), Version: version})
		}
		b := result.NewBuilder(result.BuilderConfig{Interval: time.Second})
		run, err := b.Document(header, result.Notes{})
		require.NoError(t, err)
		return run
	}
	v := verdict(t, document("1.0", "1.1", "1.0", "1.1"), "mixed_builds")
	require.NotNil(t, v)
	require.True(t, v.Bad())
	require.Equal(t, "1.0: coordinator, b; 1.1: a, c", v.Because)
	require.NotNil(t, verdict(t, document("1.1", "1.0", "1.0"), "mixed_builds"))
	require.Nil(t, verdict(t, document("1.0", "1.0", "1.0"), "mixed_builds"))
	require.Nil(t, verdict(t, document("1.0", ""), "mixed_builds"))
}
