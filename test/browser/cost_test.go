//go:build browser

package browser

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/longrun"
	"github.com/benchd/benchd/test/testcluster"
)

// All formats but raw: it needs the single operations, which no agent has kept of this run.
const formats = "md,html,xlsx,json,csv,ycsb,hlog,benchfmt"

// cost is what a report costs: the CPU time of benchctl, from its start to its end, and what the coordinator spent meanwhile; user and
// system time of both.
type cost struct {
	benchctl, coordinator time.Duration
}

func (c cost) sum() time.Duration { return c.benchctl + c.coordinator }

func (c cost) String() string {
	return fmt.Sprintf("%v of CPU (benchctl %v, coordinator %v)", c.sum().Round(time.Millisecond), c.benchctl.Round(time.Millisecond), c.coordinator)
}

// report writes a report into dir and returns its cost.
func report(t *testing.T, address string, coordinator int, dir string, args ...string) cost {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	before := cpuTime(t, coordinator)
	args = append([]string{"report", longrun.ID, "--coordinator", address, "--force", "--out", dir}, args...)
	command := exec.CommandContext(ctx, testcluster.Program("benchctl"), args...)
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return cost{benchctl: command.ProcessState.UserTime() + command.ProcessState.SystemTime(), coordinator: cpuTime(t, coordinator) - before}
}

// cheapest makes a report up to three times, and returns the lowest cost: a machine that has other work needs more CPU for the same.
func cheapest(t *testing.T, what string, write func() cost) cost {
	t.Helper()
	best := write()
	t.Logf("%s: %v", what, best)
	for range 2 {
		c := write()
		t.Logf("%s: %v", what, c)
		if c.sum() < best.sum() {
			best = c
		}
	}
	return best
}

// cpuTime is the CPU time that a process has spent, of itself and the kernel for it.
func cpuTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+2:]))
	user, err := strconv.Atoi(fields[11])
	require.NoError(t, err)
	system, err := strconv.Atoi(fields[12])
	require.NoError(t, err)
	return time.Duration(user+system) * 10 * time.Millisecond // Linux counts in hundredths of a second for all its platforms
}

// memory is a figure of the memory of a process, in MB: VmRSS now, VmHWM at its highest.
func memory(t *testing.T, pid int, figure string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	found := regexp.MustCompile(figure + `:\s+(\d+) kB`).FindSubmatch(text)
	require.NotNil(t, found)
	kB, err := strconv.Atoi(string(found[1]))
	require.NoError(t, err)
	return kB / 1024
}

// pages makes the pages of the long run in two folders, one for each language, and checks what reports of it cost.
func pages(t *testing.T, out, zh string) {
	t.Helper()
	dir := t.TempDir()
	longrun.Make(t, dir, longrun.Hours)
	address := "127.0.0.1:" + testcluster.Port(t)
	open := func() *testcluster.Process {
		p := testcluster.Start(t, nil, "benchd", "coordinator", "--listen", address, "--http", "127.0.0.1:"+testcluster.Port(t), "--data", dir)
		testcluster.Eventually(t, testcluster.Patience, func() bool {
			_, _, code := testcluster.Run(t, time.Minute, "benchctl", "list", "--coordinator", address)
			return code == 0
		}, "the coordinator should answer; it printed: %s", p.Log())
		return p
	}
	// A coordinator computes the result of a long run when the run ends, and keeps it in a file. This run ended without one: its first
	// report has that in its cost, and is only printed. The coordinator that is measured has begun after it.
	first := open()
	before := memory(t, first.ID(), "VmRSS")
	c := report(t, address, first.ID(), out, "--format", "html")
	t.Logf("first report, with the result of the run computed: %v, memory of the coordinator %d MB, at most %d MB", c, before, memory(t, first.ID(), "VmHWM"))
	testcluster.Eventually(t, testcluster.Patience, func() bool {
		kept, err := filepath.Glob(filepath.Join(dir, "computed", "*.logs"))
		return err == nil && len(kept) == 1
	}, "the histogram logs should be kept")
	for _, kind := range []string{"document", "columns", "logs"} {
		info, err := os.Stat(filepath.Join(dir, "computed", longrun.ID+".1."+kind))
		require.NoError(t, err)
		t.Logf("kept %s: %d kB", kind, info.Size()/1000)
	}
	first.Signal(syscall.SIGTERM)
	first.Exit(testcluster.Patience)

	second := open()
	before = memory(t, second.ID(), "VmRSS")
	html := cheapest(t, "html", func() cost { return report(t, address, second.ID(), out, "--format", "html") })
	report(t, address, second.ID(), zh, "--format", "html", "--lang", "zh")
	size, err := os.Stat(pageIn(t, out))
	require.NoError(t, err)
	t.Logf("html: %d kB", size.Size()/1000)
	require.Less(t, size.Size(), int64(5_000_000))
	require.Less(t, html.sum(), 2*time.Second, "to write HTML costs %v", html)

	for format := range strings.SplitSeq(formats, ",") {
		t.Logf("%s: %v", format, report(t, address, second.ID(), t.TempDir(), "--format", format))
	}
	_, text, code := testcluster.Run(t, time.Minute, "benchctl", "report", longrun.ID, "--coordinator", address, "--format", "raw", "--out", t.TempDir())
	require.Equal(t, 2, code, text)
	require.Contains(t, text, "has no raw points")
	all := cheapest(t, formats, func() cost { return report(t, address, second.ID(), t.TempDir(), "--format", formats) })
	require.Less(t, all.sum(), 5*time.Second, "to write all formats costs %v", all)
	after := memory(t, second.ID(), "VmHWM")
	t.Logf("memory of the coordinator: %d MB before, at most %d MB", before, after)
	require.Less(t, after-before, 200)
}

// pageIn is the path of the page in a folder.
func pageIn(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.html"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0]
}
