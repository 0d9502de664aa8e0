package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeMake writes the report of a step, from the file of its name, and ends as the first line of that file says.
const fakeMake = `#!/usr/bin/env bash
report=${2#REPORT=}
[[ -e steps/$1 ]] || exit 2
tail -n +2 "steps/$1" >"$report"
exit "$(head -n 1 "steps/$1")"
`

// steps runs steps with fake targets.
func steps(t *testing.T, targets map[string]string, script string) (dir, stdout string, code int) {
	t.Helper()
	c := newCheckout(t, "steps.bash")
	c.write(filepath.Join(c.bin, "make"), fakeMake)
	for name, content := range targets {
		c.write("steps/"+name, content)
	}
	stdout, stderr, code := c.run("bash", "-uc", "set -o pipefail; source scripts/steps.bash; "+script)
	require.Empty(t, stderr)
	return c.dir, stdout, code
}

// event is a line of a report.
func event(action, test, seconds string) string {
	name := ""
	if test != "" {
		name = `,"Test":"` + test + `"`
	}
	return `{"Time":"2026-11-23T01:02:41Z","Action":"` + action + `","Package":"github.com/benchd/benchd/internal/x"` + name + `,"Elapsed":` + seconds + "}\n"
}

func TestStepsAreCountedInATable(t *testing.T) {
	output := `{"Action":"output","Package":"github.com/benchd/benchd/internal/x","Test":"TestBad","Output":"    Error Trace:\tx_test.go:7\n"}` + "\n"
	_, stdout, code := steps(t, map[string]string{
		"good": "0\n" + event("pass", "TestA", "1") + event("pass", "TestA/part", "1") + event("pass", "TestA", "1") + event("pass", "", "2"),
		"bad":  "1\n" + event("pass", "TestB", "1") + output + event("fail", "TestBad", "3") + event("fail", "", "4"),
		"lint": "2\n",
	}, "begin bin/x; step 1 good FOR=1m; step 1 bad; step 1 lint; finish")
	require.Equal(t, 1, code)
	text := regexp.MustCompile(` +`).ReplaceAllString(stdout, " ")
	require.Regexp(t, `good FOR=1m 0 2 0 \d+\nbad 1 1 1 \d+\nlint 2 0 0 \d+\nall 3 2 \d+\n`, text)
	require.Contains(t, text, "== TestBad failed:\n Error Trace: x_test.go:7\n")
	require.Contains(t, text, "broken: make bad\nbroken: make lint\n")
	require.True(t, strings.HasSuffix(stdout, "\n3 passed, 2 failed\n"), stdout)
}

func TestAGoodRunEndsWithExitCode0(t *testing.T) {
	dir, stdout, code := steps(t, map[string]string{"good": "0\n" + event("pass", "TestA", "1"), "demo": "0\n"},
		"mkdir -p bin/x; echo old >bin/x/old.json; begin bin/x; step 1 good; step 1 demo; finish")
	require.Zero(t, code)
	require.True(t, strings.HasSuffix(stdout, "\n1 passed, 0 failed\n"), stdout)
	require.FileExists(t, filepath.Join(dir, "bin", "x", "good.json"), "the events stay")
	require.NoFileExists(t, filepath.Join(dir, "bin", "x", "old.json"), "those of the run before do not")
}

func TestStepsThatAreNotNamedAreLeftOut(t *testing.T) {
	dir, stdout, code := steps(t, map[string]string{"good": "0\n" + event("pass", "TestA", "1"), "bad": "1\n"},
		"begin bin/x; only=(good demo); step 1 good; step 1 bad; finish")
	require.Zero(t, code)
	require.True(t, strings.HasSuffix(stdout, "\n1 passed, 0 failed\n"), stdout)
	require.NotContains(t, stdout, "make bad")
	require.FileExists(t, filepath.Join(dir, "bin", "x", "good.json"))
}

func TestAnUnknownStepOfNightlyIsRejected(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), filepath.Join("..", "..", "scripts", "nightly"), "soak", "fuz")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, 2, cmd.ProcessState.ExitCode())
	require.Contains(t, string(out), `nightly: unknown step "fuz": want some of lint test `)
}

func TestAStepNamesItsTenSlowestTests(t *testing.T) {
	var events strings.Builder
	for name := range strings.SplitSeq("A B C D E F G H I J K L", " ") {
		events.WriteString(event("pass", "Test"+name, "1"+strings.Repeat("0", int(name[0]-'A')%3)+"."+string('0'+(name[0]-'A')%10)))
	}
	events.WriteString(event("pass", "TestA/part", "5000") + event("pass", "TestQuick", "0.4"))
	events.WriteString(strings.ReplaceAll(event("pass", "TestCached", "9000")+
		`{"Action":"output","Package":"github.com/benchd/benchd/internal/x","Output":"ok  \tx\t(cached)\n"}`+"\n", "internal/x", "internal/y"))
	_, stdout, _ := steps(t, map[string]string{"good": "0\n" + events.String()}, "begin bin/x; step 1 good; finish")
	_, stdout, _ = strings.Cut(stdout, "== make good: the slowest tests\n")
	stdout, _, _ = strings.Cut(stdout, "== make")
	slowest := lines(stdout)
	require.Len(t, slowest, 10)
	require.Equal(t, "100.8 s  TestI  internal/x", slowest[0])
	require.NotContains(t, stdout, "part")
	require.NotContains(t, stdout, "TestCached")
}

func TestAStepThatTakesTooLongIsStopped(t *testing.T) {
	c := newCheckout(t, "steps.bash")
	c.write(filepath.Join(c.bin, "make"), "#!/bin/sh\nexec sleep 600\n")
	stdout, _, code := c.run("bash", "-uc", "source scripts/steps.bash; begin bin/x; step 0.001 slow; finish")
	require.Equal(t, 1, code)
	require.Contains(t, stdout, "it was stopped after 0.001 minutes")
	require.True(t, strings.HasSuffix(stdout, "\n0 passed, 1 failed\n"), stdout)
}

// go test ignores a name in a pattern that does not exist.
func TestEachTestOfTheSmokeTestExists(t *testing.T) {
	root := filepath.Join("..", "..")
	out, err := exec.CommandContext(t.Context(), "make", "-s", "-n", "-C", root, "smoke-hbase").Output()
	require.NoError(t, err)
	pattern := regexp.MustCompile(`-run '([^']+)'`).FindSubmatch(out)
	require.NotNil(t, pattern, "%s", out)
	var sources strings.Builder
	for _, dir := range []string{"test/hbase", "internal/target/hbase", "internal/target/hbase/admin"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
		require.NoError(t, err)
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			if strings.HasPrefix(string(content), "//go:build hbase") {
				sources.Write(content)
			}
		}
	}
	for name := range strings.SplitSeq(string(pattern[1]), "|") {
		name, server, _ := strings.Cut(name, "/")
		require.Contains(t, sources.String(), "\nfunc "+name+"(t *testing.T)")
		require.Contains(t, []string{"", "three"}, server)
	}
}

func TestTheModeOfTheSecuredSmokeTestExists(t *testing.T) {
	root := filepath.Join("..", "..")
	out, err := exec.CommandContext(t.Context(), "make", "-s", "-n", "-C", root, "smoke-hbase-secure").Output()
	require.NoError(t, err)
	pattern := regexp.MustCompile(`-run '([^'/]+)/([^']+)\$'`).FindSubmatch(out)
	require.NotNil(t, pattern, "%s", out)
	modes, err := os.ReadFile(filepath.Join(root, "test", "secure", "modes_test.go"))
	require.NoError(t, err)
	require.Contains(t, string(modes), "\nfunc "+string(pattern[1])+"(t *testing.T)")
	require.Contains(t, string(modes), `"`+strings.ReplaceAll(string(pattern[2]), "_", " ")+`"`)
}

// made returns the steps of a script, with their settings.
func made(t *testing.T, script string) (steps []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", script))
	require.NoError(t, err)
	for _, step := range regexp.MustCompile(`(?m)^\s*step \d+ ([^"].*)$`).FindAllStringSubmatch(string(text), -1) {
		steps = append(steps, step[1])
	}
	for _, suite := range regexp.MustCompile(`(?m)^whole (\S+) \d+ \d+$`).FindAllStringSubmatch(string(text), -1) {
		steps = append(steps, "test-"+suite[1], "smoke-"+suite[1])
	}
	require.NotEmpty(t, steps, script)
	return steps
}

// The nightly run covers everything in CI, and CONTRIBUTING has a reason for each part that CI leaves out.
func TestTheNightlyRunIsDocumented(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	require.NoError(t, err)
	contributing, err := os.ReadFile(filepath.Join("..", "..", "CONTRIBUTING.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(contributing), "These parts run only there")
	require.True(t, found)
	ci, nightly := made(t, ".ci/run"), made(t, "scripts/nightly")
	targets := make(map[string]bool)
	for _, step := range nightly {
		target, _, _ := strings.Cut(step, " ")
		targets[target] = true
		require.Contains(t, string(makefile), "\n"+target+": ", "a step without a target")
		if !slices.Contains(ci, step) {
			require.Regexp(t, "(?m)^\\|[^|]*`"+target+"[` ]", table, "only nightly, without a reason")
		}
	}
	for _, step := range ci {
		target, _, _ := strings.Cut(step, " ")
		whole := strings.Replace(target, "smoke-", "test-", 1)
		require.True(t, targets[whole], "%s is not made nightly; test-hbase has all of smoke-hbase", target)
	}
}
