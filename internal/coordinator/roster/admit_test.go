package roster_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

const full = 4096

// joins adds agents NAME-0, NAME-1 and so on, which connect from a host, and lets them leave again.
func joins(t *testing.T, r *roster.Roster, name, host string, n int, leave bool) (last error) {
	t.Helper()
	for i := range n {
		s, _ := streamFrom(t, &benchdv1.Hello{Name: fmt.Sprintf("%s-%d", name, i), BootId: "1"}, host+":1")
		if _, _, err := r.Join(t.Context(), s); err != nil {
			last = err
			continue
		}
		if leave {
			require.True(t, r.Leave(s))
		}
	}
	return last
}

// A host that uses thousands of names drops its own from a full roster, not those of others.
func TestFalseNamesDoNotFillTheRoster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := roster.New()
		require.NoError(t, joins(t, r, "away", "10.0.0.1", 3, true))
		require.NoError(t, joins(t, r, "here", "10.0.0.1", 3, false))
		r.Expect("serving", roster.Fingerprint("1"), "S.1")
		<-time.After(time.Second)
		require.NoError(t, joins(t, r, "first", "10.6.6.6", 100, true))
		<-time.After(time.Second)
		require.NoError(t, joins(t, r, "evil", "10.6.6.6", full, true))

		require.NoError(t, joins(t, r, "late", "10.0.0.2", 3, false))
		for _, name := range []string{"away-0", "away-2", "here-0", "serving", "late-0", "late-2"} {
			require.NotNil(t, r.Get(name), name)
		}
		require.Len(t, r.All(), full)
		require.Nil(t, r.Get("first-0"), "the oldest has made room")
	})
}

func TestAFullRosterRefusesUntilAnAgentLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := roster.New()
		for i := range 4 {
			require.NoError(t, joins(t, r, fmt.Sprintf("of-%d", i), fmt.Sprintf("10.0.0.%d", i), full/4-1, false))
		}
		for i := range 4 {
			r.Expect(fmt.Sprintf("serving-%d", i), roster.Fingerprint("1"), "S.1")
		}
		err := joins(t, r, "late", "10.0.1.0", 1, false)
		require.ErrorIs(t, err, wire.ErrLimit)
		require.ErrorContains(t, err, "has 4096 agents already")
		r.Get("serving-3").Serve("")
		require.NoError(t, joins(t, r, "late", "10.0.1.0", 1, false))
		require.Nil(t, r.Get("serving-3"))
	})
}

func TestOneHostDoesNotFillTheRosterWithConnectedAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := roster.New()
		require.NoError(t, joins(t, r, "evil", "10.6.6.6", full/2, false))
		err := joins(t, r, "more", "10.6.6.6", 1, false)
		require.ErrorIs(t, err, wire.ErrLimit)
		require.ErrorContains(t, err, "from 10.6.6.6 already")
		require.NoError(t, joins(t, r, "honest", "10.0.0.1", 1, false))
	})
}
