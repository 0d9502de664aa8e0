package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/wire"
)

func TestErrorsMeanExitCodes(t *testing.T) {
	for _, test := range []struct {
		err  error
		want Code
	}{
		{nil, Good},
		{errors.New("anything"), Failed},
		{&UsageError{Err: errors.New("x")}, Usage},
		{&config.Error{Place: "--x"}, Usage},
		{security.CheckAddress("--listen", "0.0.0.0:1", false), Usage},
		{property.Problems{{Text: "x"}}, Usage},
		{wire.Errorf(wire.ErrBadSpec, "x"), Usage},
		{wire.Errorf(wire.ErrNotFound, "x"), Usage},
		{&Error{Code: Violated}, Violated},
		{&Error{Code: Incomplete, Err: errors.New("x")}, Incomplete},
		{wire.Errorf(wire.ErrUnreachable, "x"), Unavailable},
		{wire.Errorf(wire.ErrTooFewAgents, "x"), Unavailable},
		{wire.Errorf(wire.ErrNotAllowed, "x"), Unavailable},
		{wire.Errorf(wire.ErrNameTaken, "x"), Unavailable},
		{wire.Errorf(wire.ErrProtocol, "x"), Unavailable},
		{wire.Errorf(wire.ErrFull, "x"), Unavailable},
		{&os.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, Unavailable},
		{syscall.ENOSPC, Unavailable},
		{syscall.EROFS, Unavailable},
	} {
		require.Equal(t, test.want, CodeOf(test.err), "%v", test.err)
		if test.err != nil {
			require.Equal(t, test.want, CodeOf(errors.Join(fmt.Errorf("do it: %w", test.err), nil)), "wrapped: %v", test.err)
		}
	}
}

func TestAProcessThatCannotStartIsUnavailable(t *testing.T) {
	require.Equal(t, Unavailable, CodeOf(StartError(errors.New("the archive was written by a newer version"))))
	require.Equal(t, Usage, CodeOf(StartError(&config.Error{})))
	require.NoError(t, StartError(nil))
}

func TestExitPrintsAnErrorOnce(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{&Error{Code: Failed}, ""},
		{errors.New("it broke"), "prog: it broke\n"},
		{&UsageError{Command: "prog do", Err: errors.New("no")}, "prog: no\nSee `prog do --help`.\n"},
	} {
		var out bytes.Buffer
		require.Equal(t, int(CodeOf(test.err)), Exit(&out, "prog", test.err))
		require.Equal(t, test.want, out.String())
	}
}

func TestVersionComesFromTheLinkerOrTheBuild(t *testing.T) {
	build := func(version string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	const hash = "0123456789abcdef0123"
	for want, got := range map[string]string{
		"v1.2.0+abc":                  Version("v1.2.0", "abc", build("(devel)")),
		"devel":                       Version("", "", nil),
		"devel+0123456789ab":          Version("", "", build("(devel)", "vcs.revision", hash)),
		"devel+0123456789ab.modified": Version("", "", build("(devel)", "vcs.revision", hash, "vcs.modified", "true")),
		"v1.3.0":                      Version("", "", build("v1.3.0")),
		"v1.2.0+abc.":                 Version("v1.2.0", "abc", build("v1.3.0", "vcs.revision", hash)) + ".",
	} {
		require.Equal(t, want, got)
	}
}

// execute runs a program with commands to try things with.
func execute(t *testing.T, args ...string) (out, errOut string, err error) {
	t.Helper()
	var wait time.Duration
	do := &cobra.Command{Use: "do ID", Short: "Do it", Args: Exactly("ID"), Example: "  prog do S"}
	config.Duration(do.Flags(), &wait, "wait", false, "wait so long")
	quick := do.Flags().Bool("quick", false, "")
	part := &cobra.Command{Use: "part", Short: "Do a part"}
	var outBuf, errBuf bytes.Buffer
	err = Program{
		Name: "prog", Short: "Try things", Long: "Prog tries things.", Version: "v1", LogLevel: "info",
		Commands: func() []Command {
			return []Command{{Command: do, Run: func(_ context.Context, c *Context, args []string) error {
				c.Logger.Info("does", "id", args[0], "wait", wait, "from", c.Origins["wait"], "version", c.Version, "quick", *quick)
				return nil
			}, Commands: []Command{{Command: part, Run: func(context.Context, *Context, []string) error { return errors.New("broke") }}}}}
		},
	}.Run(t.Context(), args, Streams{In: strings.NewReader(""), Out: &outBuf, Err: &errBuf})
	return outBuf.String(), errBuf.String(), err
}

func TestCommandGetsItsFlagsFromEverywhere(t *testing.T) {
	_, log, err := execute(t, "do", "S", "--wait", "5s")
	require.NoError(t, err)
	require.Contains(t, log, "msg=does id=S wait=5s from=--wait version=v1")
	t.Setenv("PROG_WAIT", "1m")
	t.Setenv("PROG_LOG_FORMAT", "json")
	_, log, err = execute(t, "do", "S")
	require.NoError(t, err)
	require.Contains(t, log, `"wait":60000000000,"from":"PROG_WAIT"`)
	file := filepath.Join(t.TempDir(), "f.yaml")
	require.NoError(t, os.WriteFile(file, []byte("log-level: error\nwait: 3s\n"), 0o600))
	_, log, err = execute(t, "do", "S", "--config", file)
	require.NoError(t, err)
	require.Empty(t, log)
}

func TestMistakesInTheCommandLineAreUsage(t *testing.T) {
	for args, want := range map[string]string{
		"doo":               "unknown command \"doo\"; did you mean `prog do`?",
		"zzz":               `unknown command "zzz"; known: completion, do`,
		"do":                "ID is missing: `prog do ID [flags]`",
		"do part x":         `"x" is one argument too many`,
		"do a b":            `unknown command "a"; known: part`,
		"do S --wiat 1s":    "unknown flag --wiat; did you mean --wait?",
		"do S --zzzzzzzz":   "unknown flag --zzzzzzzz",
		"--quick do S":      "--quick is a flag of commands: write it after the command, such as `prog do --quick`",
		"do S -x":           "unknown shorthand flag: 'x' in -x",
		"do S --wait":       "flag needs an argument: --wait",
		"do S --wait 5":     "--wait: invalid duration 5: missing unit; write 5s, 5m or 5h",
		"do S --quick=x":    `--quick: invalid boolean "x": want true or false`,
		"do S --log-level=": `--log-level: unknown value "" (one of debug, info, warn, error)`,
		"completion x":      `unknown command "x"; known: bash, fish, powershell, zsh`,
		"help x":            `unknown command "x"`,
		"help do x":         `unknown command "x"; known: part`,
		"help do part x":    `unknown command "x"; `,
	} {
		_, _, err := execute(t, strings.Fields(args)...)
		require.ErrorContains(t, err, want, args)
		require.Equal(t, Usage, CodeOf(err), args)
	}
	_, _, err := execute(t, "do", "part")
	require.EqualError(t, err, "broke")
}

func TestHelpHasKeysVariablesAndExamples(t *testing.T) {
	for _, args := range [][]string{{"do", "--help"}, {"help", "do"}} {
		out, errOut, err := execute(t, args...)
		require.NoError(t, err)
		require.Empty(t, errOut)
		for _, want := range []string{"prog do ID [flags]", "Examples:\n  prog do S\n", "--wait D", "Flags of all commands:", "PROG_LOG_LEVEL"} {
			require.Contains(t, out, want)
		}
	}
	out, _, err := execute(t)
	require.NoError(t, err)
	require.Contains(t, out, "Prog tries things.")
	require.NotContains(t, out, "prog [flags]")
	out, _, err = execute(t, "--version")
	require.NoError(t, err)
	require.Equal(t, "prog v1\n", out)
}

func TestFlawsListsFlagsThatDoNotMatch(t *testing.T) {
	flawed := &cobra.Command{Use: "flawed", Short: "Have no example"}
	flawed.Flags().String("silent", "", "")
	flawed.Flags().StringArray("kind", nil, "a list")
	other := &cobra.Command{Use: "other", Short: "Be fine", Example: "  prog other"}
	other.Flags().String("kind", "", "no list")
	p := Program{Name: "prog", LogLevel: "info", Commands: func() []Command { return []Command{{Command: flawed}, {Command: other}} }}
	require.Equal(t, []string{
		"prog flawed has no example",
		"prog flawed --silent has no usage text",
		"--kind is a list for prog other but not for all other commands, or the reverse",
	}, p.Flaws())
}

func TestPortInUseIsOneClearMessage(t *testing.T) {
	l, err := Listen(t.Context(), "--listen", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	address := l.Addr().String()
	_, err = Listen(t.Context(), "--listen", address)
	require.EqualError(t, err, "listen on "+address+": address already in use; "+
		"if another benchd runs there, stop it, or give another address with --listen (port 0 takes any free one)")
	require.Equal(t, Unavailable, CodeOf(err))
	_, err = Listen(t.Context(), "--http", "203.0.113.7:0")
	require.EqualError(t, err, "listen on 203.0.113.7:0: cannot assign requested address; give another address with --http")
}

func TestTheLogCanBeRedirected(t *testing.T) {
	var first, second bytes.Buffer
	r := &Redirect{out: &first}
	fmt.Fprint(r, "a")
	r.To(&second)
	fmt.Fprint(r, "b")
	require.Equal(t, "a", first.String())
	require.Equal(t, "b", second.String())
}
