//go:build integration

package crash

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/postgres/postgrestest"
	"github.com/benchd/benchd/test/testcluster"
)

const (
	// agentsOfRun serve the run whose coordinator is killed.
	agentsOfRun = 3
	// killsOfArchive is the number of kills on the same archive, in one run.
	killsOfArchive = 25
)

func TestACoordinatorThatIsKilledHasAllThatItAcknowledged(t *testing.T) {
	t.Parallel()
	acknowledged, unheard := 0, 0
	for left := kills(t, 50); left > 0; left -= killsOfArchive {
		a, u := killInOneRun(t, min(left, killsOfArchive))
		acknowledged, unheard = acknowledged+a, unheard+u
	}
	t.Logf("%d kills, %d windows; %d were archived and a kill came before their acknowledgement", kills(t, 50), acknowledged, unheard)
	require.Greater(t, acknowledged, 10*kills(t, 50), "the archive was being written when the coordinator was killed")
}

// site has a coordinator that is killed and restarted, with agents that outlive it.
type site struct {
	t       *testing.T
	dir     string
	agents  []*agent
	process *testcluster.Process
	address string
	links   sync.WaitGroup

	database *postgrestest.Server // of the archive; nil for one in SQLite
}

// killInOneRun kills the coordinator of a run a number of times, and ends the run. It returns the number of acknowledged windows, and
// of windows that were archived but not yet acknowledged at a kill.
func killInOneRun(t *testing.T, kills int) (acknowledged, unheard int) {
	s := &site{t: t, dir: t.TempDir()}
	for _, name := range []string{"a", "b", "c"} {
		s.agents = append(s.agents, newAgent(name))
	}
	s.open()
	require.True(t, s.listens(t.Context()), "the coordinator does not start; it printed: %s", s.process.Log())
	suite := s.submit()
	for _, a := range s.agents {
		s.wait(a, func() bool { return len(a.acked) > 0 })
	}
	for kill := range kills {
		if kill > 0 {
			s.open()
			s.live()
		}
		s.kill()
		unheard += s.check(suite+".1", kill)
	}
	s.open()
	require.True(t, s.listens(t.Context()))
	return s.conclude(suite), unheard
}

// open starts the coordinator, on ports that the system chooses.
func (s *site) open() {
	args := []string{"coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", s.dir}
	if s.database != nil {
		args = append(args, "--archive", s.url())
	}
	s.process = testcluster.Start(s.t, nil, "benchd", args...)
}

// listens waits until the coordinator logs its address, and lets the agents connect. It reports whether they do.
func (s *site) listens(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, testcluster.Patience)
	defer cancel()
	said := regexp.MustCompile(`coordinator listens" grpc=(\S+)`)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		if found := said.FindStringSubmatch(s.process.Log()); found != nil {
			s.address = found[1]
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	for _, a := range s.agents {
		s.links.Go(func() { _ = a.serve(s.t.Context(), s.address) }) // it always ends by a kill or the run's end
	}
	return true
}

// live lets the coordinator work until a random instant: while it starts, or while it archives windows.
func (s *site) live() {
	if rand.IntN(4) == 0 {
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Duration(rand.IntN(60))*time.Millisecond)
		defer cancel()
		if s.listens(ctx) {
			<-ctx.Done()
		}
		return
	}
	require.True(s.t, s.listens(s.t.Context()), "the coordinator does not start; it printed: %s", s.process.Log())
	a := s.agents[rand.IntN(len(s.agents))]
	enough := len(a.acknowledged()) + 1 + rand.IntN(100)
	s.wait(a, func() bool { return len(a.acked) >= enough })
	<-time.After(time.Duration(rand.IntN(5000)) * time.Microsecond)
}

// kill kills the coordinator, and returns when the agents have received everything that it sent.
func (s *site) kill() {
	s.process.Signal(syscall.SIGKILL)
	require.Equal(s.t, -1, s.process.Exit(testcluster.Patience), "it was killed")
	s.links.Wait()
}

func (s *site) wait(a *agent, is func() bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), testcluster.Patience)
	defer cancel()
	require.NoError(s.t, a.until(ctx, is), "agent %s waits; the coordinator printed: %s", a.name, s.process.Log())
}

func (s *site) submit() string {
	client := s.client()
	defer func() { require.NoError(s.t, client.Close()) }()
	properties := map[string]string{"db": "null", "duration": "10h", "interval": interval.String(), "recordcount": "1000"}
	submission := spec.Submission{Name: "killed"}
	for k, v := range properties {
		submission.Properties = append(submission.Properties, spec.Setting{Key: k, Value: v})
	}
	id, _, err := client.Submit(s.t.Context(), remote.Request{Submission: submission, Agents: agentsOfRun, WaitAgents: testcluster.Patience})
	require.NoError(s.t, err)
	return id
}

func (s *site) client() *remote.Client {
	client, err := remote.Dial(s.address, insecure.NewCredentials())
	require.NoError(s.t, err)
	return client
}

// check reads a copy of the archive after a kill, so that the coordinator finds the files unchanged. It returns the number of
// archived windows that were not acknowledged.
func (s *site) check(run string, kill int) (unheard int) {
	dir := s.t.TempDir()
	defer func() { require.NoError(s.t, os.RemoveAll(dir)) }()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(filepath.Join(s.dir, sqlite.FileName+suffix))
		if suffix != "" && errors.Is(err, os.ErrNotExist) {
			continue
		}
		require.NoError(s.t, err)
		require.NoError(s.t, os.WriteFile(filepath.Join(dir, sqlite.FileName+suffix), content, 0o600))
	}
	a, err := sqlite.Open(s.t.Context(), dir, slog.New(slog.DiscardHandler))
	require.NoError(s.t, err, "after kill %d", kill)
	there := make(map[latency.WindowID]int)
	counted := uint64(0)
	for w, err := range a.Windows(s.t.Context(), run) {
		require.NoError(s.t, err, "after kill %d", kill)
		there[w.ID]++
		for _, series := range w.Series {
			counted += series.Response.Count()
		}
	}
	require.NoError(s.t, a.Close(s.t.Context()))
	found, err := sqlite.Check(s.t.Context(), dir, true)
	require.NoError(s.t, err, "after kill %d", kill)
	require.Equal(s.t, len(there), found.Windows)
	require.Equal(s.t, uint64(len(there))*opsOfWindow, counted, "after kill %d: each archived window is complete, and stored once", kill)
	unheard = len(there)
	for shard, agent := range s.agents {
		acknowledged := agent.acknowledged()
		unheard -= len(acknowledged)
		for seq := range acknowledged {
			id := latency.WindowID{Run: run, Phase: agent.start.GetPhase(), Shard: int(agent.shard.GetShard()), Attempt: 1, Seq: seq}
			require.Equal(s.t, 1, there[id], "window %d of shard %d was acknowledged before kill %d", seq, shard, kill)
		}
	}
	for id, n := range there {
		require.Equal(s.t, 1, n, "%v after kill %d", id, kill)
	}
	return unheard
}

// conclude ends the run, whose result must count each window once, and the coordinator.
func (s *site) conclude(suite string) (acknowledged int) {
	client := s.client()
	require.NoError(s.t, client.Cancel(s.t.Context(), suite, "the test"))
	windows := 0
	for _, a := range s.agents {
		s.wait(a, func() bool { return a.over })
		require.Len(s.t, a.acknowledged(), a.next, "all windows of agent %s are acknowledged", a.name)
		windows += a.next
	}
	var run result.Run
	testcluster.Eventually(s.t, testcluster.Patience, func() bool {
		text, err := client.Result(s.t.Context(), suite)
		require.NoError(s.t, err)
		require.NoError(s.t, json.Unmarshal(text, &run))
		return run.Status.Ended()
	}, "the run should end")
	require.NoError(s.t, client.Close())
	require.Equal(s.t, result.Cancelled, run.Status, run.Reason)
	require.Empty(s.t, run.Missing)
	all := uint64(windows) * opsOfWindow
	require.Equal(s.t, result.Reconcile{Issued: all, Recorded: all, Merged: all, OK: true}, run.Reconcile)
	s.process.Signal(syscall.SIGTERM)
	require.Zero(s.t, s.process.Exit(testcluster.Patience))
	s.links.Wait()
	return windows
}
