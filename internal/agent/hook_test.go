package agent_test

import (
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
			o.Args, o.TimeoutNs = map[string]string{plan.HookArg: name}, int64(timeout)
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

	chatty := hook("chatty", time.Minute)
	require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, chatty.GetOutcome(), chatty.GetError())
	require.Less(t, len(chatty.GetAnswer()), 1000)
	require.Contains(t, string(chatty.GetAnswer()), "line 2999")
	require.Contains(t, string(chatty.GetAnswer()), "… line")

	require.Equal(t, benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, hook("behind", time.Minute).GetOutcome(), "its background process is still running")
}
