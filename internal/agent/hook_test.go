package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/agent"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/plan"
)

func TestAHooksCommandLineIsSplitIntoItsWords(t *testing.T) {
	for line, want := range map[string][]string{
		`/opt/restart.sh`:               {"/opt/restart.sh"},
		"  ssh  master\trestart ":       {"ssh", "master", "restart"},
		`sh -c 'echo "a b"; exit 3'`:    {"sh", "-c", `echo "a b"; exit 3`},
		`a "b 'c' d" e"f g"h '' $HOME;`: {"a", "b 'c' d", "ef gh", "", "$HOME;"},
	} {
		got, err := agent.SplitHook(line)
		require.NoError(t, err, line)
		require.Equal(t, want, got, line)
	}
	for line, want := range map[string]string{
		"": "missing command", " \t": "missing command", `''`: "missing command", `sh -c "x`: `unclosed quotation mark "`,
	} {
		_, err := agent.SplitHook(line)
		require.ErrorContains(t, err, want, line)
	}
}

func FuzzSplitHook(f *testing.F) {
	f.Add(`sh -c 'echo "a b"' x`)
	f.Fuzz(func(t *testing.T, line string) {
		words, err := agent.SplitHook(line)
		if err == nil {
			require.NotEmpty(t, words)
			require.NotEmpty(t, words[0])
			require.LessOrEqual(t, len(strings.Join(words, "")), 3*len(line), "invalid UTF-8 takes three bytes")
		}
	})
}

func TestAHookRunsItsCommand(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	newRig(t, b, func(c *agent.Config) {
		c.Hooks = map[string][]string{
			"good":   {"sh", "-c", "echo begun $BENCHD_HOOK of $BENCHD_RUN; echo done >&2"},
			"bad":    {"sh", "-c", "echo out of paper; exit 3"},
			"none":   {"/no/such/command"},
			"long":   {"sh", "-c", "sleep 600 & wait"},
			"chatty": {"sh", "-c", "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done"},
			"behind": {"sh", "-c", "sleep 3 & echo started"},
		}
	})
	s := b.next()
	hook := func(name string, timeout time.Duration) *benchdv1.ActionAnswer {
		s.act("S.1#"+name, "S.1", plan.Hook, func(o *benchdv1.ActionOrder) {
			o.Target, o.Args, o.TimeoutNs = "null", map[string]string{plan.HookArg: name}, int64(timeout)
		})
		return await(s, (*benchdv1.SessionRequest).GetAction)
	}
	good := hook("good", time.Minute)
	require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, good.GetOutcome(), good.GetError())
	require.JSONEq(t, `{"text": ["begun good of S.1", "done"]}`, string(good.GetAnswer()))

	bad := hook("bad", time.Minute)
	require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_FAILED, bad.GetOutcome())
	require.Equal(t, "hook bad: exit status 3: out of paper", bad.GetError())

	require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_REFUSED, hook("none", time.Minute).GetOutcome())
	unknown := hook("other", time.Minute)
	require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_REFUSED, unknown.GetOutcome())
	require.Contains(t, unknown.GetError(), `allows no hook "other"`)

	long := hook("long", 100*time.Millisecond)
	require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_UNKNOWN, long.GetOutcome())
	require.Contains(t, long.GetError(), "it was not done within 100ms")
	require.Contains(t, long.GetError(), "it continues on agent a")

	chatty := hook("chatty", time.Minute)
	require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, chatty.GetOutcome(), chatty.GetError())
	require.Less(t, len(chatty.GetAnswer()), 1000)
	require.Contains(t, string(chatty.GetAnswer()), "line 2999")
	require.Contains(t, string(chatty.GetAnswer()), "… line")

	require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, hook("behind", time.Minute).GetOutcome(), "its background process is still running")
}

// A client that reaches the coordinator must not start commands on agents without the plan of a run that shows them.
func TestAHookRunsOnlyAsAnActionOfARun(t *testing.T) {
	t.Parallel()
	ran := filepath.Join(t.TempDir(), "ran")
	d, with := actors()
	b := newFakeCoordinator(t)
	newRig(t, b, with, func(c *agent.Config) {
		c.Actors["machine"] = d.open
		c.Hooks = map[string][]string{"restart": {"touch", ran}}
	})
	s := b.next()
	for name, tt := range map[string]struct{ run, target string }{
		"no run":                         {"", "null"},
		"no run, on the machine":         {"", "machine"},
		"a run on the machine":           {"S.1", "machine"},
		"a run on a target without load": {"S.1", "other"},
	} {
		s.act(name, tt.run, plan.Hook, func(o *benchdv1.ActionOrder) {
			o.Target, o.Args = tt.target, map[string]string{plan.HookArg: "restart"}
		})
		answer := await(s, (*benchdv1.SessionRequest).GetAction)
		require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_REFUSED, answer.GetOutcome(), name)
		require.Contains(t, answer.GetError(), "hooks run only as actions of a run", name)
	}
	require.NoFileExists(t, ran)
	s.act("load", "", "flush", func(o *benchdv1.ActionOrder) { o.Target = "null" })
	refused := await(s, (*benchdv1.SessionRequest).GetAction)
	require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_REFUSED, refused.GetOutcome())
	require.Contains(t, refused.GetError(), "cannot be requested outside of a run")
}

// A hook that is killed half-way may leave a server stopped. Only the operator may end it.
func TestNoCallerKillsAHook(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		timeout time.Duration
		leave   func(s *stream, id string)
	}{
		"by a short timeout":           {timeout: time.Nanosecond},
		"by a cancellation":            {timeout: time.Hour, leave: (*stream).cancelAction},
		"by a broken stream":           {timeout: time.Hour, leave: func(s *stream, _ string) { s.cut() }},
		"by a timeout and a stream":    {timeout: time.Nanosecond, leave: func(s *stream, _ string) { s.cut() }},
		"by a timeout, and cancelling": {timeout: time.Nanosecond, leave: (*stream).cancelAction},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			b := newFakeCoordinator(t)
			newRig(t, b, func(c *agent.Config) {
				c.Hooks = map[string][]string{"restart": {"sh", "-c", "cd '" + dir + "'; touch begun; while [ ! -e go ]; do sleep 0.02; done; touch done"}}
			})
			s := b.next()
			s.act("S.1#1", "S.1", plan.Hook, func(o *benchdv1.ActionOrder) {
				o.Target, o.Args, o.TimeoutNs = "null", map[string]string{plan.HookArg: "restart"}, int64(tt.timeout)
			})
			exists := func(file string) func() bool {
				return func() bool {
					_, err := os.Stat(filepath.Join(dir, file))
					return err == nil
				}
			}
			require.Eventually(t, exists("begun"), patience, 10*time.Millisecond)
			if tt.timeout < time.Second {
				answer := await(s, (*benchdv1.SessionRequest).GetAction)
				require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_UNKNOWN, answer.GetOutcome(), answer.GetError())
			}
			if tt.leave != nil {
				tt.leave(s, "S.1#1")
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
			require.Eventually(t, exists("done"), patience, 10*time.Millisecond)
		})
	}
}

// Hooks that continue after their timeout count: otherwise a client could start any number of processes.
func TestLateHooksAreActionsInProgress(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	newRig(t, b, func(c *agent.Config) { c.Hooks = map[string][]string{"long": {"sleep", "600"}} })
	s := b.next()
	for i := range 17 {
		s.act(fmt.Sprint("S.1#", i), "S.1", plan.Hook, func(o *benchdv1.ActionOrder) {
			o.Target, o.Args, o.TimeoutNs = "null", map[string]string{plan.HookArg: "long"}, 1
		})
		answer := await(s, (*benchdv1.SessionRequest).GetAction)
		if i < 16 {
			require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_UNKNOWN, answer.GetOutcome(), answer.GetError())
			continue
		}
		require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_REFUSED, answer.GetOutcome())
		require.Contains(t, answer.GetError(), "executing 16 actions already")
	}
}
