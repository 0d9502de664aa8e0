package coordinator

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/conductor"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results"
	"github.com/benchd/benchd/internal/results/resultstest"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/internal/tolerance"
)

// openCoordinator is a coordinator that works.
func openCoordinator(t *testing.T, dir string) *Coordinator {
	t.Helper()
	c, err := New(t.Context(), Config{DataDir: dir, Version: "test", Reader: all.Targets().Reader(), AgentGrace: 50 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close(context.WithoutCancel(t.Context()))) })
	return c
}

// closedCoordinator is a coordinator with an archive and no running goroutine.
func closedCoordinator(t *testing.T) *Coordinator {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	store := resultstest.Open(t)
	c := &Coordinator{config: Config{DataDir: filepath.Dir(store.Path()), Reader: all.Targets().Reader()}, archive: store, log: log, clock: clock.NewSource(clock.Skew{}), quarantine: quarantine.NewList(log)}
	c.results = results.New(results.Config{Archive: c.archive, Reader: all.Targets().Reader(), Version: "test", Clock: c.clock, Quarantine: c.quarantine, Logger: log})
	return c
}

// asides returns the reasons in the list of suites, by suite.
func asides(t *testing.T, c *Coordinator) map[string]string {
	t.Helper()
	list, err := c.List(t.Context(), &benchdv1.ListRequest{})
	require.NoError(t, err)
	why := make(map[string]string)
	for _, s := range list.GetSuites() {
		why[s.GetId()] = s.GetSetAside()
	}
	return why
}

// A panic in the goroutines of a run fails that run, with the reason in its archived result; the other run goes on, and
// the measurements of both are kept.
func TestARunThatPanicsIsSetAside(t *testing.T) {
	for name, bend := range map[string]func(cd *conductor.Conductor){
		"in its loop":     func(cd *conductor.Conductor) { cd.Merge([]*latency.Window{nil}) },
		"beside its loop": func(cd *conductor.Conductor) { cd.Welcome(nil, nil, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			c := openCoordinator(t, t.TempDir())
			bad, good := resultstest.NewRun(t, c.archive, "BAD", 1, 5, 1, 5), resultstest.NewRun(t, c.archive, "GOOD", 1, 5, 1, 5)
			bad.Add(t, c.archive, 0, 2)
			c.mu.Lock()
			one, other := c.conduct(bad.Record), c.conduct(good.Record)
			c.mu.Unlock()
			bend(one)
			<-one.Done()
			require.NoError(t, errOf(other.Done()))
			done, err := other.Cancel(t.Context(), lifecycle.Cancel{By: "the test"})
			require.NoError(t, err)
			require.True(t, done, "its loop works")
			r, err := c.archive.Run(t.Context(), "BAD.1")
			require.NoError(t, err)
			require.Equal(t, result.Failed, r.Status)
			require.Equal(t, "set aside: conduct run BAD.1: internal error: runtime error: invalid memory address or nil pointer dereference", r.Reason)
			require.Equal(t, map[string]string{"BAD": r.Reason, "GOOD": ""}, asides(t, c))
			var shown result.Run
			text, err := c.results.JSON(t.Context(), "BAD")
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &shown))
			require.Equal(t, result.Failed, shown.Status)
			require.Equal(t, r.Reason, shown.Reason)
			require.NotEmpty(t, shown.Phases)
			agent := roster.NewSession(t.Context(), func(error) {}, &benchdv1.Hello{Name: "agent-0", BootId: "1"}, "", "", c.clock, c.log)
			require.False(t, one.Progress().Holds(agent, latency.WindowID{Run: "BAD.1", Phase: "measure", Attempt: 1}), "its windows are refused")
		})
	}
}

func errOf(done <-chan struct{}) error {
	select {
	case <-done:
		return context.Canceled
	default:
		return nil
	}
}

// A run with an invalid state fails when the coordinator is restarted; the coordinator works.
func TestARunThatCannotBeRecoveredFails(t *testing.T) {
	for name, state := range map[string]string{
		"nothing":           `{}`,
		"a phase far off":   `{"life":{"run":"S.1","status":"running","phases":[{"name":"measure"}],"phase":99,"joined":-7,"shards":[{"state":"busy","agent":"a","attempt":1}]},"epoch":5}`,
		"a joined far off":  `{"life":{"run":"S.1","status":"running","phases":[{"name":"measure"}],"phase":0,"joined":99,"shards":[{"state":"busy","agent":"a","attempt":1}]},"epoch":5}`,
		"no phase that was": `{"life":{"run":"S.1","status":"stopping","phases":[],"phase":3,"shards":[{"state":"busy","ended":[{"windows":-5}]}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c := openCoordinator(t, dir)
			resultstest.NewRun(t, c.archive, "S", 1, 5, 1, 5).Add(t, c.archive, 0, 3)
			runs, err := c.archive.Runs(t.Context(), "S")
			require.NoError(t, err)
			runs[0].State = []byte(state)
			require.NoError(t, c.archive.Apply(t.Context(), archive.Change{Runs: runs}))
			require.NoError(t, c.Close(t.Context()))
			c = openCoordinator(t, dir)
			require.Eventually(t, func() bool {
				r, err := c.archive.Run(t.Context(), "S.1")
				require.NoError(t, err)
				return r.Status == result.Failed
			}, tolerance.Patience, 10*time.Millisecond)
			r, err := c.archive.Run(t.Context(), "S.1")
			require.NoError(t, err)
			require.NotEmpty(t, r.Reason)
		})
	}
}

// A handler that panics answers with an error, and names the suite.
func TestACallThatPanicsAnswers(t *testing.T) {
	c := closedCoordinator(t)
	resultstest.Ended(t, c.archive, "S", 3, time.Hour, result.Complete)
	_, err := recoverCall(t.Context(), &benchdv1.RemoveRequest{Id: "S"}, &grpc.UnaryServerInfo{Server: c, FullMethod: "Remove"}, func(context.Context, any) (any, error) { panic("boom") })
	require.ErrorContains(t, err, "internal error: boom")
	require.Equal(t, "set aside: Remove: internal error: boom", asides(t, c)["S"])
	err = recoverStream(c, nil, &grpc.StreamServerInfo{FullMethod: "Get"}, func(any, grpc.ServerStream) error { panic("boom") })
	require.ErrorContains(t, err, "internal error: boom")
}
