package lifecycle_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

// A transcript is a file of lines: events, which begin at the margin, and their effects, indented. "# …" is a comment;
// "run PHASE… policy=P" starts a run, where PHASE<a,b has actions before it and PHASE,a,b after it; "restart" archives
// the state and reads it back; "back N" is the return of shard N's agent after a broken stream.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			got := replay(t, string(want))
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				return
			}
			require.Equal(t, string(want), got, "run the test with -update and review the difference")
		})
	}
}

// replay executes the events of a transcript and returns the transcript with their effects.
func replay(t *testing.T, transcript string) string {
	t.Helper()
	var out strings.Builder
	var state *lifecycle.State
	for line := range strings.Lines(transcript) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "  ") {
			continue // the previous effects
		}
		out.WriteString(line + "\n")
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		switch words[0] {
		case "run":
			state = newRun(t, words[1:])
		case "back":
			shard, err := strconv.Atoi(words[1])
			require.NoError(t, err)
			for c := range strings.Lines(lifecycle.Describe(state.Return(shard))) {
				out.WriteString("  " + c)
			}
		case "restart":
			blob, err := json.Marshal(state)
			require.NoError(t, err)
			state = new(lifecycle.State)
			require.NoError(t, json.Unmarshal(blob, state))
			for c := range strings.Lines(lifecycle.Describe(state.Recover())) {
				out.WriteString("  " + c)
			}
		default:
			commands := lifecycle.Describe(state.Step(parseEvent(t, words)))
			for c := range strings.Lines(commands) {
				out.WriteString("  " + c)
			}
			out.WriteString("  = " + describe(state) + "\n")
		}
	}
	return out.String()
}

func describe(s *lifecycle.State) string {
	var b strings.Builder
	fmt.Fprint(&b, s.Status)
	for _, sh := range s.Shards {
		fmt.Fprintf(&b, " %s:%s", sh.Agent, sh.State)
	}
	if s.Reason != "" {
		fmt.Fprintf(&b, " (%s)", s.Reason)
	}
	if m := s.Missing(); len(m) > 0 {
		fmt.Fprintf(&b, " missing %q", m)
	}
	return b.String()
}

func newRun(t *testing.T, words []string) *lifecycle.State {
	t.Helper()
	var phases []plan.Phase
	policy := lifecycle.FailOnLoss
	for _, w := range words {
		if p, is := strings.CutPrefix(w, "policy="); is {
			policy = lifecycle.Policy(p)
			continue
		}
		w, before, _ := strings.Cut(w, "<")
		name, length, _ := strings.Cut(w, "=")
		joined := strings.HasPrefix(name, "+")
		phase := plan.Phase{Name: plan.PhaseName(strings.TrimPrefix(name, "+")), Joined: joined, Loop: plan.Closed}
		if before != "" {
			phase.Before = strings.Split(before, ",")
		}
		length, actions, _ := strings.Cut(length, ",")
		if actions != "" {
			phase.After = strings.Split(actions, ",")
		}
		length, until, _ := strings.Cut(length, "/")
		phase.Until = plan.Until(until)
		if d, err := time.ParseDuration(length); err == nil {
			phase.Duration = d
		} else {
			phase.Ops, err = strconv.ParseInt(length, 10, 64)
			require.NoError(t, err, w)
		}
		phases = append(phases, phase)
	}
	return lifecycle.New("S.1", phases, policy)
}

func parseEvent(t *testing.T, words []string) lifecycle.Event {
	t.Helper()
	arg := map[string]string{}
	for _, w := range words[1:] {
		if k, v, is := strings.Cut(w, "="); is {
			arg[k] = strings.ReplaceAll(v, "_", " ")
		}
	}
	shard := func() int {
		n, err := strconv.Atoi(words[1])
		require.NoError(t, err, words)
		return n
	}
	switch words[0] {
	case "granted":
		var g lifecycle.Granted
		for _, name := range words[1:] {
			g.Agents = append(g.Agents, lifecycle.Grant{Agent: name, Boot: "boot-" + name})
		}
		return g
	case "prepared":
		return lifecycle.Prepared{Shard: shard(), Error: arg["error"]}
	case "clocks-known":
		return lifecycle.ClocksKnown{}
	case "ended":
		windows, _ := strconv.Atoi(arg["windows"])
		return lifecycle.PhaseEnded{Shard: shard(), Ended: lifecycle.Ended{
			Phase: plan.PhaseName(words[2]), Windows: windows, Final: words[len(words)-1] != "goes-on", Error: arg["error"], Left: arg["left"],
			At: 12 * time.Second,
		}}
	case "merged":
		return lifecycle.WindowsMerged{Shard: shard(), Phase: plan.PhaseName(words[2])}
	case "lost":
		return lifecycle.AgentLost{Shard: shard(), Why: arg["why"]}
	case "limit":
		return lifecycle.LimitViolated{Text: strings.Join(words[1:], " ")}
	case "handed":
		return lifecycle.Handed{Shard: shard(), Grant: lifecycle.Grant{Agent: words[2], Boot: "boot-" + words[2]}}
	case "cancel":
		return lifecycle.Cancel{By: words[1]}
	case "acted":
		return lifecycle.ActionEnded{Error: arg["error"]}
	case "holding":
		return lifecycle.Holding{By: arg["by"]}
	case "refused":
		return lifecycle.Refused{Why: arg["why"]}
	case "unwanted":
		return lifecycle.Cancel{Because: arg["because"]}
	case "warmed-up":
		return lifecycle.WarmedUp{Because: arg["because"]}
	case "fired":
		return lifecycle.Fired{Timer: lifecycle.Timer(words[1])}
	}
	require.Fail(t, "no such event", "%q", words)
	return nil
}
