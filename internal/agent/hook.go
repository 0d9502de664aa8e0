package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"
	"unicode"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/plan"
)

const (
	// maxOutput is the maximum size of a hook's output that is kept; the end is kept.
	maxOutput = 4 << 10
	// outputWithin is how long the output of a hook is read after its end, while a background process still has it open.
	outputWithin = 2 * time.Second
)

// SplitHook splits a hook's command line into its words, at blanks outside of quotation marks of either kind. No shell is
// involved: write sh -c '…' to use one.
func SplitHook(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	in := false
	for _, r := range line {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, in = r, true
		case quote == 0 && unicode.IsSpace(r):
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("unclosed quotation mark %c in %q", quote, line)
	case len(words) == 0 || words[0] == "":
		return nil, errors.New("missing command: want NAME=COMMAND with its arguments")
	}
	return words, nil
}

// hook runs the command of the agent's operator with the given name. Only the end of the agent's process kills it: it may
// have stopped a server that it is about to start again. A hook that takes longer than its order allows continues.
func (a *Agent) hook(ctx context.Context, m *benchdv1.ActionOrder) (load.Answer, error) {
	name := m.GetArgs()[plan.HookArg]
	words, ok := a.config.Hooks[name]
	if !ok {
		return load.Answer{}, load.Mark(load.ErrAction, fmt.Errorf("agent %s allows no hook %q; start it with --hook %s=COMMAND", a.config.Name, name, name))
	}
	cmd := exec.CommandContext(a.life, words[0], words[1:]...) //nolint:gosec // the operator configures it
	cmd.Env = append(cmd.Environ(), "BENCHD_RUN="+m.GetRun(), "BENCHD_HOOK="+name)
	cmd.WaitDelay = outputWithin
	processGroup(cmd)
	said := new(tail)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		return load.Answer{}, load.Mark(load.ErrAction, fmt.Errorf("run hook %s: %w", name, err))
	}
	ended := make(chan error, 1)
	a.work.Go(func() { ended <- cmd.Wait() })
	select {
	case err := <-ended:
		return a.hookEnded(name, cmd, said, err)
	case <-ctx.Done():
	}
	if a.life.Err() != nil {
		return a.hookEnded(name, cmd, said, <-ended)
	}
	a.mu.Lock()
	a.lateHooks++
	a.mu.Unlock()
	a.work.Go(func() {
		_, err := a.hookEnded(name, cmd, said, <-ended)
		a.log.Info("a late hook has ended", "hook", name, "run", m.GetRun(), "error", err)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.lateHooks--
	})
	return load.Answer{}, load.Mark(load.ErrUnknown, fmt.Errorf("hook %s: %w; it continues on agent %s", name, context.Cause(ctx), a.config.Name))
}

// hookEnded returns the outcome of a hook whose command has ended with err.
func (a *Agent) hookEnded(name string, cmd *exec.Cmd, said *tail, err error) (load.Answer, error) {
	if errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success() {
		err = nil // a background process of the hook is still running
	}
	switch {
	case err == nil:
		return load.Answer{Text: said.lines()}, nil
	case a.life.Err() != nil:
		err = context.Cause(a.life)
	}
	if lines := said.lines(); len(lines) > 0 {
		return load.Answer{}, fmt.Errorf("hook %s: %w: %s", name, err, strings.Join(lines, " | "))
	}
	return load.Answer{}, fmt.Errorf("hook %s: %w", name, err)
}

// hooks returns the names for a Hello.
func (a *Agent) hooks() []string { return slices.Sorted(maps.Keys(a.config.Hooks)) }

// tail keeps the last bytes that were written to it.
type tail struct {
	kept []byte
	cut  bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - maxOutput; over > 0 {
		t.kept, t.cut = append(t.kept[:0], t.kept[over:]...), true
	}
	return len(b), nil
}

func (t *tail) lines() []string {
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(string(t.kept), "�")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	const most = 20
	if n := len(lines) - most; n > 0 {
		lines, t.cut = lines[n:], true
	}
	if t.cut && len(lines) > 0 {
		lines[0] = "… " + lines[0]
	}
	return lines
}
