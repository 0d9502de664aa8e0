//go:build integration

package crash

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive/postgres"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/target/postgres/postgrestest"
	"github.com/benchd/benchd/test/testcluster"
)

const (
	// killsOfDatabase is the number of kills in one run.
	killsOfDatabase = 25
	// mostAtOnce bounds the windows of an agent between two kills: it cuts them while the archive is read, too, and a run refuses windows that end an
	// hour ahead of it.
	mostAtOnce = 1000
)

// The archive is in PostgreSQL; the coordinator and the server are killed in turn.
func TestACoordinatorAndItsDatabaseThatAreKilledHaveAllThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for parent := dir; len(parent) > len(os.TempDir()); parent = filepath.Dir(parent) { // the server's user is another one
		require.NoError(t, os.Chmod(parent, 0o755))
	}
	server, err := postgrestest.Start(t.Context(), dir, postgrestest.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop()) })
	acknowledged, ended, all := 0, 0, kills(t, 10)
	for left := all; left > 0; left -= killsOfDatabase {
		a, e := killWithDatabase(t, server, min(left, killsOfDatabase))
		acknowledged, ended = acknowledged+a, ended+e
	}
	t.Logf("%d kills, half of them of the server, %d windows; the coordinator ended by itself %d times, because it could not renew its lease", all, acknowledged, ended)
	require.Greater(t, acknowledged, 5*all, "the archive was being written")
}

// killWithDatabase kills in one run, and ends it. It returns the number of windows, and of coordinators that ended by themselves.
func killWithDatabase(t *testing.T, server *postgrestest.Server, kills int) (acknowledged, ended int) {
	s := &site{t: t, dir: t.TempDir(), database: server}
	for _, name := range []string{"a", "b", "c"} {
		s.agents = append(s.agents, newAgent(name))
	}
	s.start()
	suite := s.submit()
	for _, a := range s.agents {
		s.wait(a, func() bool { return len(a.acked) > 0 })
	}
	for kill := range kills {
		ended += s.work()
		if kill%2 == 0 {
			s.kill()
		} else {
			require.NoError(t, server.Kill())
			require.NoError(t, server.Restart(t.Context()))
		}
		s.checkDatabase(suite+".1", kill)
		if kill%2 == 0 {
			s.start()
		}
	}
	ended += s.work()
	return s.conclude(suite), ended
}

// url is that of the archive.
func (s *site) url() string { return "postgres://postgres@" + s.database.Address() + "/postgres" }

// start starts the coordinator, which leads at once: the lease of a killed one would last for some seconds.
func (s *site) start() {
	s.t.Helper()
	_, err := s.database.SQL(`DO $$ BEGIN IF to_regclass('benchd.lease') IS NOT NULL THEN UPDATE benchd.lease SET until = '1970-01-01 00:00:00+00'; END IF; END $$`)
	require.NoError(s.t, err)
	s.open()
	require.True(s.t, s.listens(s.t.Context()), "the coordinator does not start; it printed: %s", s.process.Log())
}

// work lets the coordinator work until a random instant. One that has ended, because it could not renew its lease, is started again; their
// number is returned.
func (s *site) work() (ended int) {
	s.t.Helper()
	for _, a := range s.agents {
		a.change(func() { a.most = a.next + mostAtOnce })
	}
	a := s.agents[rand.IntN(len(s.agents))]
	enough := len(a.acknowledged()) + 1 + rand.IntN(30)
	testcluster.Eventually(s.t, testcluster.Patience, func() bool {
		if s.process.Ended() {
			require.NotZero(s.t, s.process.Exit(testcluster.Patience))
			s.links.Wait()
			ended++
			s.start()
		}
		return len(a.acknowledged()) >= enough
	}, "windows should be acknowledged")
	<-time.After(time.Duration(rand.IntN(20_000)) * time.Microsecond)
	return ended
}

// checkDatabase reads the archive after a kill, perhaps while the coordinator goes on.
func (s *site) checkDatabase(run string, kill int) {
	s.t.Helper()
	var acknowledged []latency.WindowID
	for _, agent := range s.agents {
		for seq := range agent.acknowledged() {
			acknowledged = append(acknowledged, latency.WindowID{Run: run, Phase: agent.start.GetPhase(), Shard: int(agent.shard.GetShard()), Attempt: 1, Seq: seq})
		}
	}
	a, err := postgres.Open(s.t.Context(), s.url(), slog.New(slog.DiscardHandler))
	require.NoError(s.t, err, "after kill %d", kill)
	defer func() { require.NoError(s.t, a.Close(context.WithoutCancel(s.t.Context()))) }()
	there := make(map[latency.WindowID]int)
	counted := uint64(0)
	for w, err := range a.Windows(s.t.Context(), run) {
		require.NoError(s.t, err, "after kill %d", kill)
		there[w.ID]++
		for _, series := range w.Series {
			counted += series.Response.Count()
		}
	}
	require.Equal(s.t, uint64(len(there))*opsOfWindow, counted, "after kill %d: each archived window is complete, and stored once", kill)
	for _, id := range acknowledged {
		require.Equal(s.t, 1, there[id], "window %v was acknowledged before kill %d", id, kill)
	}
	for id, n := range there {
		require.Equal(s.t, 1, n, "%v after kill %d", id, kill)
	}
}
