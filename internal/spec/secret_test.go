package spec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
)

// canary is a secret that somebody writes where a reference belongs.
const canary = "canary-e5a1b0"

func TestAReferenceToASecretIsKeptAsItIs(t *testing.T) {
	suite, warnings, err := reader().Parse(Submission{Properties: p("db", "null", "duration", "1s", "recordcount", "9", "telemetry.endpoints", "n=https://n:9090",
		"telemetry.bearer", " file:prometheus/token ")})
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Equal(t, "file:prometheus/token", suite.Cases[0].Properties["telemetry.bearer"])
	require.Equal(t, plan.Login{Bearer: "file:prometheus/token"}, suite.Cases[0].Settings.Telemetry.Login)
}

func TestASecretInASubmissionIsRefusedOnceAndNotRepeated(t *testing.T) {
	endpoints := "telemetry.endpoints=n=http://127.0.0.1:1\n"
	for name, test := range map[string]struct {
		file string
		set  []Setting
		want string // part of the only problem
	}{
		"a token":                {file: endpoints + "telemetry.bearer=" + canary, want: "w:2: telemetry.bearer: a secret is given by reference"},
		"a password":             {file: endpoints + "telemetry.user=u\ntelemetry.password=" + canary, want: "w:3: telemetry.password: a secret is given by reference"},
		"a token by -p":          {set: p("telemetry.endpoints", "n=http://127.0.0.1:1", "telemetry.bearer", canary), want: "-p: telemetry.bearer: a secret is given by reference"},
		"a comment behind it":    {file: endpoints + "telemetry.bearer=" + canary + " # the token", want: "telemetry.bearer: a secret is given by reference"},
		"a comment behind a ref": {file: endpoints + "telemetry.bearer=file:a\n # " + canary + "\ntelemetry.bearer=" + canary, want: "telemetry.bearer: a secret is given by reference"},
		"another scheme":         {file: endpoints + "telemetry.bearer=vault:" + canary, want: "telemetry.bearer: a secret is given by reference"},
		"another variable":       {file: endpoints + "telemetry.bearer=env:" + canary, want: "BENCHD_SECRET_"},
		"a misspelt property":    {file: "telemetry.baerer=" + canary, want: "w:1: telemetry.baerer: unknown property; did you mean telemetry.bearer?"},
		"an unknown property":    {file: "frobnicate=" + canary, want: "w:1: frobnicate: unknown property"},
		"an escaped separator":   {file: `telemetry.bearer\=` + canary, want: "w:1: telemetry.bearer…: unknown property"},
		"an escaped blank":       {file: `telemetry.bearer\ ` + canary, want: "w:1: telemetry.bearer…: unknown property"},
		"a missing name":         {file: "=" + canary, want: "w:1: missing name"},
		"an invalid escape":      {file: `fieldnameprefix=\u` + canary, want: "invalid escape"},
		"an unprintable one":     {file: endpoints + "telemetry.bearer=" + canary + `\u0007`, want: "telemetry.bearer: a secret is given by reference"},
		"a password in an address": {
			file: "telemetry.endpoints=n=http://user:" + canary + "@host:9090/metrics", want: "remove them, set telemetry.user, and set telemetry.password to a reference",
		},
		"a user in an address":       {file: "telemetry.endpoints=n=http://" + canary + "@host:9090/metrics", want: "w:1: telemetry.endpoints: an address contains a user name or a password"},
		"a slash in such a password": {file: "telemetry.endpoints=n=http://user:/" + canary + "@host:9090/metrics", want: "w:1: telemetry.endpoints: an address contains a user name or a password"},
		"a percent sign in it":       {file: "telemetry.endpoints=n=http://user:%zz" + canary + "@host:9090/metrics", want: "w:1: telemetry.endpoints: an address contains a user name or a password"},
		"a comma in it":              {file: "telemetry.endpoints=n=http://user:" + canary + ",x@host:9090/metrics", want: "w:1: telemetry.endpoints: an address contains a user name or a password"},
		"an address without a name":  {file: "telemetry.endpoints=http://user:" + canary + "@host:9090/metrics", want: "w:1: telemetry.endpoints: an address contains a user name or a password"},
		"a password in a user":       {file: endpoints + "telemetry.user=u:" + canary + "\ntelemetry.password=file:a", want: "telemetry.user: a user name of HTTP basic authentication has no colon"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Submission{Properties: append(p("db", "null", "duration", "1s", "recordcount", "9"), test.set...)}
			if test.file != "" {
				s.Files = []File{{"w", []byte(test.file)}}
			}
			_, warnings, err := reader().Parse(s)
			requireRefused(t, err, warnings, test.want)
		})
	}
}

// requireRefused checks that there is one problem, with a text, and that no message contains the canary.
func requireRefused(t *testing.T, err error, warnings []property.Warning, want string) {
	t.Helper()
	var problems property.Problems
	require.ErrorAs(t, err, &problems)
	require.Len(t, problems, 1, err)
	require.ErrorContains(t, err, want)
	require.NotContains(t, err.Error(), canary[:4])
	for _, w := range warnings {
		require.NotContains(t, w.String(), canary[:4])
	}
}

func TestASecretThatALaterOneOverridesIsNotShown(t *testing.T) {
	for name, file := range map[string]string{
		"literals":  "telemetry.bearer=" + canary + "1\ntelemetry.bearer=" + canary + "2",
		"addresses": "telemetry.endpoints=n=http://u:" + canary + "1@h\ntelemetry.endpoints=n=http://u:" + canary + "2@h",
	} {
		_, warnings, err := reader().Parse(Submission{Files: []File{{"w", []byte(file)}}, Properties: p("db", "null", "duration", "1s", "recordcount", "9")})
		require.Len(t, warnings, 1, name)
		require.Contains(t, warnings[0].String(), "is overridden by a later value (w:2)")
		requireRefused(t, err, warnings, "w:2: ")
	}
}

func TestASecretInASuiteIsRefusedAndNotRepeated(t *testing.T) {
	const head = "suite: s\nproperties:\n  db: 'null'\n  duration: 1s\n  telemetry.endpoints: n=http://127.0.0.1:1\n"
	const tail = "scenarios:\n- name: a\n"
	for name, text := range map[string]string{
		"a property":             head + "  telemetry.bearer: " + canary + "\n" + tail,
		"a list":                 head + "  telemetry.bearer: [" + canary + "]\n" + tail,
		"a map":                  head + "  telemetry.bearer: {" + canary + ": x, y: " + canary + "}\n" + tail,
		"a tag":                  head + "  telemetry.bearer: !" + canary + " x\n" + tail,
		"a name without a value": head + "  telemetry.bearer=" + canary + ":\n" + tail,
		"a property misspelt":    head + "  telemetry.baerer: " + canary + "\n" + tail,
		"an unprintable one":     head + "  telemetry.bearer: \"\\a" + canary + "\"\n" + tail,
		"a variable":             "variables:\n  token: " + canary + "\n" + head + "  telemetry.bearer: ${token}\n" + tail,
		"an unclosed variable":   head + "  telemetry.bearer: ${" + canary + "\n" + tail,
		"a target":               head + "targets: {t: {telemetry.bearer: " + canary + "}}\n" + tail,
		"a matrix":               head + tail + "  matrix: {telemetry.bearer: [" + canary + ", " + canary + "]}\n",
		"cases":                  head + tail + "  cases: [{telemetry.bearer: " + canary + "}]\n",
		"a line with a name":     head + tail + "  cases: [telemetry.bearer=" + canary + "]\n",
		"a property of no place": head + tail + "  telemetry.bearer: " + canary + "\n",
		"a key of no place":      head + tail + "  telemetry.bearer=" + canary + ":\n",
		"a target and a dataset": head + "targets: {t: {telemetry.bearer: " + canary + "1}}\ndatasets: {d: {properties: {telemetry.bearer: " + canary + "2}}}\n" +
			tail + "  targets: [t]\n  dataset: d\n",
		"a trial":          head + tail + "trial: {properties: {telemetry.bearer: " + canary + "}}\n",
		"an address":       "suite: s\nproperties:\n  db: 'null'\n  duration: 1s\n  telemetry.endpoints: n=http://u:" + canary + "@h\n" + tail,
		"two addresses":    "suite: s\nproperties:\n  db: 'null'\n  duration: 1s\n" + tail + "  matrix: {telemetry.endpoints: ['n=http://u:" + canary + "@h', 'n=http://u:" + canary + "@h']}\n",
		"a broken quote":   head + "  telemetry.bearer: '" + canary + "\n" + tail,
		"a broken bracket": head + "  telemetry.bearer: [" + canary + "\n" + tail,
		"a broken indent":  head + "  telemetry.bearer: x\n " + canary + "\n" + tail,
		"a colon in it":    head + "  telemetry.bearer: x: " + canary + "\n" + tail,
		"a tab":            head + "\ttelemetry.bearer: " + canary + "\n" + tail,
		"an alias":         head + "  telemetry.bearer: *" + canary + "\n" + tail,
	} {
		t.Run(name, func(t *testing.T) {
			got, warnings, err := reader().Parse(Submission{Suite: &File{"s.yaml", []byte(text)}})
			if name == "a name without a value" { // it sets nothing
				require.NoError(t, err)
			} else {
				require.Error(t, err)
				require.NotContains(t, err.Error(), canary[:4])
				require.Nil(t, got)
			}
			require.NotContains(t, fmt.Sprintf("%+v", got), canary)
			for _, w := range warnings {
				require.NotContains(t, w.String(), canary[:4])
			}
		})
	}
}

func TestSettingsOfAuthenticationBelongTogether(t *testing.T) {
	const remote, local = "n=http://n:9090,m=https://m:9090,o=http://10.0.0.1:1", "n=http://127.0.0.1:9090,m=http://localhost:1,o=http://[::1]:1"
	for name, test := range map[string]struct {
		set               []Setting
		problem, warnings string
	}{
		"token":                    {set: p("telemetry.endpoints", local, "telemetry.bearer", "file:a")},
		"user and password":        {set: p("telemetry.endpoints", local, "telemetry.user", "u", "telemetry.password", "credential:a")},
		"token and user":           {set: p("telemetry.endpoints", local, "telemetry.bearer", "file:a", "telemetry.user", "u"), problem: "-p: telemetry.bearer: cannot be combined"},
		"token and password":       {set: p("telemetry.endpoints", local, "telemetry.bearer", "file:a", "telemetry.password", "file:b"), problem: "-p: telemetry.bearer: cannot be combined"},
		"user alone":               {set: p("telemetry.endpoints", local, "telemetry.user", "u"), problem: "-p: telemetry.user: needs a password"},
		"password alone":           {set: p("telemetry.endpoints", local, "telemetry.password", "file:a"), problem: "-p: telemetry.password: needs a user name"},
		"unencrypted":              {set: p("telemetry.endpoints", remote, "telemetry.bearer", "file:a"), warnings: "-p: telemetry.bearer: is sent unencrypted to n, o; use https://"},
		"unencrypted password":     {set: p("telemetry.endpoints", remote, "telemetry.user", "u", "telemetry.password", "file:a"), warnings: "-p: telemetry.password: is sent unencrypted to n, o; use https://"},
		"without endpoints":        {set: p("telemetry", "true", "telemetry.bearer", "file:a"), warnings: "-p: telemetry.bearer: has no effect without telemetry.endpoints=name=url"},
		"without telemetry":        {set: p("telemetry", "false", "telemetry.endpoints", remote, "telemetry.bearer", "file:a"), warnings: "-p: telemetry.endpoints: has no effect without telemetry=true\n-p: telemetry.bearer: has no effect without telemetry=true"},
		"empty values are not set": {set: p("telemetry.endpoints", local, "telemetry.bearer", "", "telemetry.password", "")},
	} {
		t.Run(name, func(t *testing.T) {
			_, warned, err := reader().Parse(Submission{Properties: append(p("db", "null", "duration", "1s", "recordcount", "9"), test.set...)})
			if test.problem != "" {
				require.ErrorContains(t, err, test.problem)
				return
			}
			require.NoError(t, err)
			var warnings []string
			for _, w := range warned {
				warnings = append(warnings, w.String())
			}
			require.Equal(t, test.warnings, strings.Join(warnings, "\n"))
		})
	}
}
