package coordinator_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// Law 10: a result contains its provenance: the spec as submitted and as resolved, the seed, and the builds of
// coordinator and agents.
func TestAResultNamesItsProvenance(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		old := newFakeAgent(h, "a")
		old.hello.Version = "older"
		fakeAgents := []*fakeAgent{old.connect(), newFakeAgent(h, "b").connect()}
		id := h.submitRun(2, "duration=300ms", "seed=7")
		for _, p := range fakeAgents {
			p.ready()
		}
		for _, p := range fakeAgents {
			start := p.begin()
			for seq := range 3 {
				p.window(start.GetId(), seq, 10, "OK", seq == 2)
			}
			p.ended(start.GetId(), 3, 10)
		}
		h.until(id, result.Complete)

		run := h.result(id)
		require.Equal(t, "test", run.Provenance.Benchd)
		require.EqualValues(t, 7, run.Provenance.Seed)
		require.Equal(t, "7", run.Resolved["seed"])
		require.Contains(t, string(run.Spec), `"duration"`)
		versions := make(map[string]string)
		for _, a := range run.Provenance.Agents {
			versions[a.Name] = a.Version
			require.Equal(t, a.Name, a.Hostname)
			require.Equal(t, 2, a.Cores)
		}
		require.Equal(t, map[string]string{"a": "older", "b": "test"}, versions)
		var mixed []string
		for _, v := range run.Verdicts {
			if v.Name == "mixed_builds" {
				mixed = append(mixed, v.Because)
			}
		}
		require.Equal(t, []string{"older: a; test: coordinator, b"}, mixed)
	})
}
