package coordinator_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// timedRun submits a run on a table, with timed actions.
func timedRun(h *harness, settings ...string) string {
	id, err := h.submit(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait()}, append(settings,
		"db=hbase", "columnfamily=cf", "operationcount=20")...)
	require.NoError(h.t, err)
	return id
}

func over(a *fakeAgent, start *benchdv1.Start) {
	a.window(start.GetId(), 0, 20, "OK", true)
	a.ended(start.GetId(), 1, 20)
}

func TestActionsAreDoneWhileItIsMeasured(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		hooked := newFakeAgent(h, "z")
		hooked.hello.Hooks = []string{"restart"}
		a := newFakeAgent(h, "a").connect()
		hooked.connect()
		hooked.welcomed()
		id := timedRun(h, "hbase.before.run=flush", "actions=10ms major_compact; 20ms split t user5; 30ms hook restart; 1h flush")
		a.ready()
		before := a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "")
		require.Equal(t, "flush", before.GetName())
		start := a.begin()
		compact := a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "")
		require.Equal(t, "major_compact", compact.GetName())
		require.Equal(t, map[string]string{"wait": "true"}, compact.GetArgs(), "its end is known only if the action waits for it")
		split := a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_FAILED, "no such key")
		require.Equal(t, map[string]string{"table": "t", "key": "user5"}, split.GetArgs())
		hook := hooked.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "")
		require.Equal(t, map[string]string{"name": "restart"}, hook.GetArgs())
		h.event(id, "hook restart ended after")
		over(a, start)
		h.until(id, result.Complete)

		run := h.result(id)
		var done []string
		for i, action := range run.Phases[0].Actions {
			done = append(done, action.Do+": "+action.Outcome)
			require.GreaterOrEqual(t, action.T, 0.01*float64(i+1))
		}
		require.Equal(t, []string{"major_compact: done", "split key=user5 table=t: no such key", "hook restart: done"}, done)
		for _, text := range []string{"flush begins", "major_compact begins on agent a", "major_compact: done", "major_compact ended after", "split key=user5 table=t failed after", "hook restart begins on agent z", "flush at 1h0m0s was not started: the run had ended"} {
			h.event(id, text)
		}
	})
}

func TestARunDoesNotWaitForItsActions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id := timedRun(h, "actions=0s wait_for_quiet; 0s flush")
		a.ready()
		start := a.begin()
		order := await(a, (*benchdv1.SessionResponse).GetAction)
		over(a, start)
		require.Equal(t, order.GetId(), await(a, (*benchdv1.SessionResponse).GetCancelAction).GetId())
		h.until(id, result.Complete)
		actions := h.result(id).Phases[0].Actions
		require.Len(t, actions, 1)
		require.Equal(t, result.StillGoing, actions[0].Outcome, "this is no failure")
		h.event(id, "wait_for_quiet is still in progress at the end of the run")
		h.event(id, "flush at 0s was not started: the run had ended")
	})
}

// atItsHook returns a run at the end of its load while agent z, which is not one of the run, executes a hook.
func atItsHook(h *harness) (id string, z *fakeAgent, order *benchdv1.ActionOrder) {
	a := newFakeAgent(h, "a").connect()
	z = newFakeAgent(h, "z")
	a.welcomed()
	z.hello.Hooks = []string{"restart"}
	z.connect().welcomed()
	id = timedRun(h, "actions=0s hook restart; 0s flush")
	a.ready()
	start := a.begin()
	order = await(z, (*benchdv1.SessionResponse).GetAction)
	over(a, start)
	h.event(id, "the end of the run waits for hook restart")
	require.Equal(h.t, result.Running, h.result(id).Status)
	return id, z, order
}

// A hook may have stopped a server that it is about to start again: the run ends after the hook, and the next run finds
// its effects.
func TestARunEndsAfterItsHook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		id, z, order := atItsHook(h)
		z.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Action{Action: &benchdv1.ActionAnswer{
			Id: order.GetId(), Outcome: benchdv1.ActionOutcome_ACTION_OUTCOME_FAILED, Error: "exit status 1",
		}}})
		h.until(id, result.Complete)
		actions := h.result(id).Phases[0].Actions
		require.Len(t, actions, 1)
		require.Contains(t, actions[0].Outcome, "exit status 1")
		h.event(id, "flush at 0s was not started: the run had ended")
	})
}

func TestACancelledRunLeavesItsHookAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		id, z, _ := atItsHook(h)
		h.cancel(id)
		h.until(id, result.Cancelled)
		require.Equal(t, result.StillGoing, h.result(id).Phases[0].Actions[0].Outcome)
		for {
			select {
			case m := <-z.in:
				require.Nil(t, m.GetCancelAction(), "the hook would be killed half-way")
				continue
			case <-time.After(100 * time.Millisecond):
			}
			break
		}
	})
}

// The end of a run waits for a hook no longer than the grace period of agents, and not for a hook of a restarted process.
func TestARunEndsWhenTheAgentOfItsHookIsLost(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(h *harness, z *fakeAgent){
		"away": func(_ *harness, z *fakeAgent) { z.cancel() },
		"restarted": func(h *harness, z *fakeAgent) {
			z.cancel()
			again := newFakeAgent(h, "z")
			again.hello.BootId = "another"
			again.connect().welcomed()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHarnessOf(t, 2*time.Second)
				id, z, _ := atItsHook(h)
				lose(h, z)
				h.until(id, result.Complete)
				require.Contains(t, h.result(id).Phases[0].Actions[0].Outcome, "agent z was lost meanwhile")
			})
		})
	}
}

// An action that was ordered before a restart of the coordinator is not ordered again, and the next one follows.
func TestATimedActionOutlivesTheCoordinator(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id := timedRun(h, "actions=0s split; 0s balance")
		a.ready()
		start := a.begin()
		order := await(a, (*benchdv1.SessionResponse).GetAction)
		h.close()
		h.open()
		a.hello.Held = []*benchdv1.HeldShard{{
			Id: &benchdv1.ShardId{Run: id + ".1", Attempt: 1}, Phase: "measure", Prepared: true, Running: true, Timebase: start.GetTimebase(),
		}}
		a.connect()
		again := a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "")
		require.Equal(t, order.GetId(), again.GetId())
		next := a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "")
		for next.GetId() == order.GetId() { // ordered again before the answer came: an agent does it once
			next = a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "")
		}
		require.Equal(t, "balance", next.GetName())
		h.event(id, "balance ended after")
		over(a, start)
		h.until(id, result.Complete)
		require.Len(t, h.result(id).Phases[0].Actions, 2)
	})
}

func TestALostAgentLeavesATimedActionUnknownAndItIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id := timedRun(h, "actions=0s split")
		a.ready()
		start := a.begin()
		await(a, (*benchdv1.SessionResponse).GetAction)
		a.window(start.GetId(), 0, 20, "OK", false)
		a.acked(0)
		a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Leaving{Leaving: &benchdv1.Leaving{Reason: "terminated"}}})
		h.until(id, result.Failed)
		actions := h.result(id).Phases[0].Actions
		require.Len(t, actions, 1)
		require.Contains(t, actions[0].Outcome, "whether it was done is not known")
	})
}

func TestAHookThatNoAgentAllowsIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a")
		a.hello.Hooks = []string{"reset"}
		a.connect()
		a.welcomed()
		_, err := h.submit(&benchdv1.SubmitRequest{}, "operationcount=20", "actions=1s hook restart")
		require.ErrorIs(t, err, wire.ErrBadSpec)
		require.ErrorContains(t, err, "no connected agent allows hook restart (they allow reset)")
		_, err = h.submitSuite(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait()}, `
suite: s
properties: {db: "null", recordcount: 100, operationcount: 20}
scenarios: [{name: r, actions: [{at: 1s, do: hook restart}]}]
`)
		require.ErrorContains(t, err, "s.yaml:4:")
		require.ErrorContains(t, err, "no connected agent allows hook restart")
	})
}
