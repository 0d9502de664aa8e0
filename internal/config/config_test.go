package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// settings are the flags of the test program.
type settings struct {
	listen string
	agents int
	wait   time.Duration
	output string
	labels Pairs
	quick  bool
}

// program is one with a command "serve", whose flags are in settings, and a command "other" with a flag of its
// own and one of the same name.
func program(t *testing.T) (Program, *cobra.Command, *settings) {
	t.Helper()
	s := &settings{listen: "default", agents: 1, output: "table"}
	root := &cobra.Command{Use: "prog"}
	root.PersistentFlags().String(FileFlag, "", "")
	serve := &cobra.Command{Use: "serve", Run: func(*cobra.Command, []string) {}}
	serve.Flags().StringVar(&s.listen, "listen", s.listen, "")
	Whole(serve.Flags(), &s.agents, "agents", 1, "")
	Duration(serve.Flags(), &s.wait, "wait-agents", false, "")
	Enum(serve, &s.output, "output", "o", "", "table", "json")
	PairsVar(serve.Flags(), &s.labels, "label", "l", "")
	serve.Flags().BoolVar(&s.quick, "quick", false, "")
	other := &cobra.Command{Use: "other", Run: func(*cobra.Command, []string) {}}
	other.Flags().Int("port", 0, "")
	other.Flags().String("listen", "", "")
	root.AddCommand(serve, other)
	return Program{Root: root, Prefix: "PROG"}, serve, s
}

func load(t *testing.T, file string, env map[string]string, args ...string) (*settings, Origins, error) {
	t.Helper()
	p, cmd, s := program(t)
	if file != "" {
		t.Chdir(t.TempDir())
		require.NoError(t, os.WriteFile("prog.yaml", []byte(file), 0o600))
		args = append(args, "--config", "prog.yaml")
	}
	for k, v := range env {
		t.Setenv(k, v)
	}
	require.NoError(t, cmd.ParseFlags(args))
	origins, err := p.Load(cmd)
	return s, origins, err
}

func TestFlagWinsOverEnvironmentOverFileOverDefault(t *testing.T) {
	const file = "listen: file\nagents: 3\n"
	env := map[string]string{"PROG_LISTEN": "env"}
	for _, test := range []struct {
		name   string
		file   string
		env    map[string]string
		args   []string
		want   string
		origin string
	}{
		{name: "default", want: "default"},
		{name: "file", file: file, want: "file", origin: "prog.yaml:1: listen"},
		{name: "environment", file: file, env: env, want: "env", origin: "PROG_LISTEN"},
		{name: "flag", file: file, env: env, args: []string{"--listen", "flag"}, want: "flag", origin: "--listen"},
		{name: "empty variable is none", file: file, env: map[string]string{"PROG_LISTEN": ""}, want: "file", origin: "prog.yaml:1: listen"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, origins, err := load(t, test.file, test.env, test.args...)
			require.NoError(t, err)
			require.Equal(t, test.want, s.listen)
			require.Equal(t, test.origin, origins["listen"])
			require.Equal(t, test.origin != "", origins.Set("listen"))
		})
	}
}

func TestEveryTypeComesFromEveryPlace(t *testing.T) {
	want := settings{
		listen: "a:1", agents: 4, wait: 90 * time.Second, output: "json",
		labels: Pairs{{"Zone", "a"}, {"rack", "3,4"}}, quick: true,
	}
	t.Run("file", func(t *testing.T) {
		s, _, err := load(t, `
listen: "a:1"
agents: 4
wait-agents: 1m30s
output: json
label:
  Zone: a
  rack: "3,4"
quick: true
port: 5 # of another command
`, nil)
		require.NoError(t, err)
		require.Equal(t, want, *s)
	})
	t.Run("file with a list", func(t *testing.T) {
		s, _, err := load(t, "label: [Zone=a, 'rack=3,4']", nil)
		require.NoError(t, err)
		require.Equal(t, want.labels, s.labels)
		s, _, err = load(t, "label: Zone=a", nil)
		require.NoError(t, err)
		require.Equal(t, want.labels[:1], s.labels)
	})
	t.Run("environment", func(t *testing.T) {
		s, _, err := load(t, "", map[string]string{
			"PROG_LISTEN": "a:1", "PROG_AGENTS": "4", "PROG_WAIT_AGENTS": "1m30s", "PROG_OUTPUT": "json",
			"PROG_LABEL": "Zone=a\nrack=3,4\n", "PROG_QUICK": "true",
		})
		require.NoError(t, err)
		require.Equal(t, want, *s)
	})
	t.Run("environment with commas", func(t *testing.T) {
		s, _, err := load(t, "", map[string]string{"PROG_LABEL": "a=1, b=2"})
		require.NoError(t, err)
		require.Equal(t, Pairs{{"a", "1"}, {"b", "2"}}, s.labels)
	})
	t.Run("flags", func(t *testing.T) {
		s, _, err := load(t, "label: {from: file}", map[string]string{"PROG_LABEL": "from=env"}, "--listen", "a:1", "--agents", "4",
			"--wait-agents", "90s", "-o", "json", "-l", "Zone=a", "--label", "rack=3,4", "--quick")
		require.NoError(t, err)
		require.Equal(t, want, *s)
	})
}

func TestMistakesNameThePlaceAndTheCure(t *testing.T) {
	for _, test := range []struct {
		name string
		file string
		env  map[string]string
		want string
	}{
		{"unknown key", "agent: 3", nil, "prog.yaml:1: agent: unknown key; did you mean agents?"},
		{"letters swapped", "lisetn: 3", nil, "prog.yaml:1: lisetn: unknown key; did you mean listen?"},
		{"case matters", "Listen: x", nil, "prog.yaml:1: Listen: unknown key; did you mean listen?"},
		{"far from any key", "\nretention: 3", nil, "prog.yaml:2: retention: unknown key (one of agents, label, listen, output, port, quick, wait-agents)"},
		{"the file cannot name a file", "config: x", nil, "prog.yaml:1: config: unknown key"},
		{"nor ask for help", "help: true", nil, "prog.yaml:1: help: unknown key"},
		{"not a number", "agents: two", nil, `prog.yaml:1: agents: invalid integer "two"`},
		{"not whole", "agents: 2.5", nil, `invalid integer "2.5"`},
		{"too small", "agents: 0", nil, "prog.yaml:1: agents: 0 is too small; the minimum is 1"},
		{"too large", "agents: 99999999999999999999", nil, "is too large"},
		{"no unit", "wait-agents: 10", nil, "prog.yaml:1: wait-agents: invalid duration 10: missing unit; write 10s, 10m or 10h"},
		{"not a duration", "wait-agents: soon", nil, `invalid duration "soon": want a number with a unit, such as 30s, 5m or 1h30m`},
		{"negative", "wait-agents: -1s", nil, "-1s is negative"},
		{"not a value", "output: jsno", nil, `prog.yaml:1: output: unknown value "jsno"; did you mean "json"? (one of table, json)`},
		{"not a pair", "label: [zone]", nil, `prog.yaml:1: label: invalid pair "zone": want key=value`},
		{"a list for one value", "listen: [a, b]", nil, "prog.yaml:1: listen: expected a single value, not a list or a mapping"},
		{"a mapping for one value", "listen: {a: b}", nil, "expected a single value, not a list or a mapping"},
		{"no value", "listen:\nagents: 1", nil, "prog.yaml: line 1: listen: the key has no value"},
		{"nested too deep", "label: {a: {b: c}}", nil, "prog.yaml: line 1: label: expected lines of the form name: value below it"},
		{"list in a list", "label: [[a]]", nil, "expected a list of single values"},
		{"twice a key", "agents: 1\nlisten: x\nagents: 2", nil, "prog.yaml: line 3: duplicate key agents, first on line 1; remove one of them"},
		{"not a mapping", "- listen", nil, "line 1: expected lines of the form key: value"},
		{"not YAML", "listen: [", nil, "prog.yaml: read YAML"},
		{"two documents", "agents: 1\n---\nagents: 2", nil, "more than one YAML document"},
		{"another command's value", "port: eighty", nil, "prog.yaml:1: port:"},
		{"not a bool", "\nquick: yes please", nil, `prog.yaml:2: quick: invalid boolean "yes please": want true or false`},
		{"variable", "", map[string]string{"PROG_AGENTS": "two"}, `PROG_AGENTS: invalid integer "two"`},
		{"bool variable", "", map[string]string{"PROG_QUICK": "maybe"}, `PROG_QUICK: invalid boolean "maybe": want true or false`},
		{"file in a variable", "", map[string]string{"PROG_CONFIG": "/does/not/exist.yaml"}, "PROG_CONFIG: read config file /does/not/exist.yaml: no such file or directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := load(t, test.file, test.env)
			require.ErrorContains(t, err, test.want)
			var bad *Error
			require.ErrorAs(t, err, &bad)
			require.Equal(t, 2, bad.ExitCode())
		})
	}
	_, _, err := load(t, "", nil, "--config", filepath.Join(t.TempDir(), "none.yaml"))
	require.ErrorContains(t, err, "--config: read config file ")
}

func TestAnEmptyFileSetsNothing(t *testing.T) {
	for _, file := range []string{"# a comment\n", "---\n", "{}\n"} {
		_, origins, err := load(t, file, nil)
		require.NoError(t, err, file)
		require.Equal(t, Origins{"config": "--config"}, origins)
	}
}

func TestValuesCompleteInTheShell(t *testing.T) {
	_, cmd, _ := program(t)
	for name, want := range map[string][]string{"output": {"table", "json"}} {
		fn, ok := cmd.GetFlagCompletionFunc(name)
		require.True(t, ok, name)
		got, directive := fn(cmd, nil, "")
		require.Equal(t, want, got)
		require.Equal(t, cobra.ShellCompDirectiveNoFileComp, directive)
	}
}

func TestDefaultsAreShownAsTheyAreWritten(t *testing.T) {
	_, cmd, s := program(t)
	s.wait = 10 * time.Minute
	usage := cmd.Flags().FlagUsages()
	require.Contains(t, usage, "--output table|json")
	require.Contains(t, usage, "(default table)")
	require.Equal(t, "10m", cmd.Flags().Lookup("wait-agents").Value.String())
	require.Equal(t, "1h", shortDuration(time.Hour))
	require.Equal(t, "1h0m1s", shortDuration(time.Hour+time.Second))
	require.Equal(t, map[string]string{"a": "2"}, (&Pairs{{"a", "1"}, {"a", "2"}}).Map())
}

// FuzzParse checks that parse returns without a panic for any file, and that each entry has its own line and, unless it is
// a list, at least one value.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a: 1", "a: [1, 2]", "a: {b: c}", "- x", "a: &x 1\nb: *x", "a: *a", "? [a]\n: b", "---\n---\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		entries, err := parse(content)
		if err != nil {
			return
		}
		for _, e := range entries {
			if e.line < 1 || !e.list && len(e.values) != 1 {
				t.Errorf("%+v", e)
			}
		}
	})
}

// FuzzParsePair checks that a parsed pair can be written and parsed again.
func FuzzParsePair(f *testing.F) {
	for _, seed := range []string{"a=b", "a=", "=b", "a", "a=b=c", " a =b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		pair, err := ParsePair(s)
		if err != nil {
			return
		}
		again, err := ParsePair(pair.Key + "=" + pair.Value)
		if err != nil || again != pair {
			t.Errorf("%q: %+v, then %+v, %v", s, pair, again, err)
		}
	})
}
