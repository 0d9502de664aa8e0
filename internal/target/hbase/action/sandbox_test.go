package action_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/sandbox/control"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/target/hbase/action"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// helm is a sandbox with its actor and a control client.
type helm struct {
	t      *testing.T
	s      *sandbox.Sandbox
	client *control.Client
	acting load.OpenActor
}

func newHelm(t *testing.T) *helm {
	s, err := sandbox.Start(t.Context(), sandbox.Options{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	client := control.NewClient(s.Info(), nil)
	t.Cleanup(client.Close)
	return &helm{t, s, client, action.Sandboxes()}
}

// act carries out an action for a run, as an agent does: with an actor of its own.
func (h *helm) act(run, name string, args ...string) (load.Answer, error) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	a, err := h.acting(ctx, load.Settings{
		Run: run, Logger: slog.New(slog.DiscardHandler), Properties: map[string]string{"hbase.zookeeper.quorum": h.s.Quorum(), "columnfamily": "f"},
	})
	require.NoError(h.t, err)
	defer func() { require.NoError(h.t, a.Close()) }()
	what := load.Action{Name: name, Args: make(map[string]string)}
	for i := 0; i < len(args); i += 2 {
		what.Args[args[i]] = args[i+1]
	}
	return a.Act(ctx, what)
}

func (h *helm) faults() []fault.Status {
	status, err := h.client.Status(h.t.Context())
	require.NoError(h.t, err)
	return status.Faults
}

func TestFaultsAreAddedAndCleared(t *testing.T) {
	h := newHelm(t)
	answer, err := h.act("S.1", "fault", "kind", "latency", "delay", "exponential,5ms", "op", "get,scan", "share", "20%", "length", "10m")
	require.NoError(t, err)
	require.Equal(t, []string{"fault 1 is added: latency length 10m0s share 0.2 op get,scan delay exponential 5ms"}, answer.Text)
	_, err = h.act("S.2", "fault", "kind", "stall", "table", "t")
	require.NoError(t, err)
	require.Len(t, h.faults(), 2)
	require.Equal(t, "S.1", h.faults()[0].Owner)

	answer, err = h.act("S.1", "clear_faults", "own", "true")
	require.NoError(t, err)
	require.Equal(t, []string{"1 fault of run S.1 cleared"}, answer.Text)
	require.Len(t, h.faults(), 1)
	answer, err = h.act("S.1", "clear_faults")
	require.NoError(t, err)
	require.Equal(t, []string{"1 fault cleared"}, answer.Text)
	require.Empty(t, h.faults())

	_, err = h.act("", "balance")
	require.NoError(t, err, "it has the actions of HBase")
}

func TestAddWaitsForAFaultOfAServer(t *testing.T) {
	h := newHelm(t)
	_, err := h.act("S.1", "fault", "kind", "kill-server", "server", "2")
	require.NoError(t, err)
	require.False(t, h.s.Servers()[1].Alive)
	_, err = h.act("S.1", "fault", "kind", "restart-server", "server", "2")
	require.NoError(t, err)
	require.True(t, h.s.Servers()[1].Alive)
	_, err = h.act("S.1", "fault", "kind", "add-server")
	require.NoError(t, err)
	require.Len(t, h.s.Servers(), 4)
	before := len(h.faults())
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"not there":       {[]string{"kind", "kill-server", "server", "9"}, "no region server 9 in the sandbox: want 1 to 4"},
		"not there later": {[]string{"kind", "kill-server", "server", "9", "start", "1h"}, "no region server 9 in the sandbox"},
		"a mistake":       {[]string{"kind", "kill-server"}, "server: must name one region server"},
	} {
		_, err := h.act("S.1", "fault", tt.args...)
		require.ErrorContains(t, err, tt.want, name)
		require.Len(t, h.faults(), before, name)
	}
	_, err = h.act("S.1", "fault", "kind", "kill-server", "server", "3")
	require.NoError(t, err)
	_, err = h.act("S.1", "fault", "kind", "kill-server", "server", "3")
	require.ErrorContains(t, err, "it is dead already")
	require.NotErrorIs(t, err, load.ErrUnknown)
}

// An actor that has added a fault can clear it, even though neither the master nor ZooKeeper answers.
func TestFaultsThatBlockTheClusterAreCleared(t *testing.T) {
	h := newHelm(t)
	_, err := h.act("S.1", "fault", "kind", "stall", "op", "master,zookeeper")
	require.NoError(t, err)
	_, err = h.act("S.1", "clear_faults", "own", "true")
	require.NoError(t, err)
	require.Empty(t, h.faults())
	_, err = h.act("S.1", "balance")
	require.NoError(t, err)
}

// A snapshot brings back a table's rows and regions, and the number of rows is compared.
func TestSnapshotsOfASandbox(t *testing.T) {
	h := newHelm(t)
	must := func(name string, args ...string) load.Answer {
		t.Helper()
		answer, err := h.act("S.1", name, args...)
		require.NoError(t, err)
		return answer
	}
	fails := func(want, name string, args ...string) {
		t.Helper()
		_, err := h.act("S.1", name, args...)
		require.ErrorContains(t, err, want)
	}
	fails("no such table", "snapshot", "table", "t")
	must("create", "table", "t")
	fails("no such snapshot: t-benchd of table t", "restore", "table", "t")
	fails("no such snapshot: base of table t", "delete_snapshot", "table", "t", "name", "base")
	require.Contains(t, must("snapshot", "table", "t").Text[0], "snapshot t-benchd of table t was taken in ")
	fails("snapshot t-benchd exists since ", "snapshot", "table", "t")
	must("snapshot", "table", "t", "replace", "true")
	must("split", "table", "t", "key", "m")
	require.Contains(t, must("restore", "table", "t").Text[0], "; it has 0 rows, as the snapshot")
	require.Len(t, must("regions", "table", "t").Rows, 1, "the split is undone")
	must("snapshot", "table", "t", "name", "bare", "count", "false")
	require.Contains(t, must("restore", "table", "t", "name", "bare").Text[0], "the snapshot has no number of rows to compare with")
	fails("may not be of benchd", "delete_snapshot", "table", "t", "name", "bare")
	fails("may not be of benchd", "snapshot", "table", "t", "name", "bare", "replace", "true")
	must("create", "table", "u")
	fails("snapshot bare is of table t, not of u", "restore", "table", "u", "name", "bare")
	list := must("snapshots")
	require.Equal(t, []string{"snapshot", "table", "rows", "created"}, list.Columns)
	require.Len(t, list.Rows, 2)
	require.Equal(t, []any{"bare", "t", ""}, list.Rows[0][:3])
	require.Equal(t, []any{"t-benchd", "t", "0"}, list.Rows[1][:3])
	must("delete_snapshot", "table", "t", "name", "bare", "force", "true")
	must("delete_snapshot", "table", "t")
	require.Empty(t, must("snapshots").Rows)

	must("snapshot", "table", "t", "name", "base.rows-7", "count", "false")
	fails("table t has 0 rows, not 7 as snapshot base has", "restore", "table", "t", "name", "base")
	must("snapshot", "table", "t", "name", "base.rows-8", "count", "false")
	fails("base.rows-7 and base.rows-8 are both snapshot base", "restore", "table", "t", "name", "base")
}
