//go:build faults

package faults

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// long is the duration of a run in which something breaks.
const long = time.Minute

// outcomes is the table that is printed at the end.
var outcomes struct {
	sync.Mutex
	rows [][]string
}

func TestMain(m *testing.M) {
	code := testcluster.Main(m)
	if err := writeTable(filepath.Join(testcluster.Root(), "bin", "faults.txt")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// writeTable writes the table of faults and their outcomes.
func writeTable(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	slices.SortFunc(outcomes.rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	w := tabwriter.NewWriter(file, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "fault\tstatus\texit\tops merged\tmissing")
	for _, row := range outcomes.rows {
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return errors.Join(w.Flush(), file.Close())
}

// cleanUp runs a command after a test.
func cleanUp(t *testing.T, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testcluster.Patience)
	defer cancel()
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		t.Errorf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
}

// site is a coordinator and three agents, each on a host of its own.
type site struct {
	*network
	at          *host // the coordinator's
	coordinator *testcluster.Process
	archive     string
	clients     string // the addresses that clients use; empty for that of the coordinator
	agents      map[string]*machine
}

// machine is an agent with its host.
type machine struct {
	*host
	*testcluster.Process
	args []string
}

// newSite makes a network with a coordinator, and agents a, b and c. change returns additional flags of an agent; it may be nil.
func newSite(t *testing.T, archive string, change func(s *site, agent string) []string) *site {
	t.Helper()
	s := &site{network: newNetwork(t), archive: archive, agents: map[string]*machine{}}
	if s.archive == "" {
		s.archive = t.TempDir()
	}
	s.at = s.host("coord")
	s.open()
	s.startAgents(change)
	return s
}

// startAgents starts agents a, b and c, and waits until they are connected.
func (s *site) startAgents(change func(s *site, agent string) []string) {
	t := s.t
	t.Helper()
	for _, name := range []string{"a", "b", "c"} {
		m := &machine{host: s.host(name)}
		m.args = []string{
			"agent", "--coordinator", s.address(), "--name", name, "--insecure",
			"--metrics-listen", "127.0.0.1:0", "--spool", filepath.Join(t.TempDir(), "spool"),
		}
		if change != nil {
			m.args = append(m.args, change(s, name)...)
		}
		s.agents[name] = m
		s.startAgent(name)
	}
	testcluster.Eventually(t, testcluster.Patience, func() bool {
		stdout, _, _ := s.ctl("agents", "-o", "json")
		return strings.Count(strings.ReplaceAll(stdout, " ", ""), `"connected":true`) == len(s.agents)
	}, "three agents should be connected")
}

// address is what clients connect to.
func (s *site) address() string { return cmp.Or(s.clients, s.at.ip+":7070") }

// open starts the coordinator and waits until it answers.
func (s *site) open() {
	s.t.Helper()
	s.coordinator = s.at.start("benchd", "coordinator", "--listen", s.address(), "--http", "127.0.0.1:7071", "--data", s.archive, "--insecure")
	testcluster.Eventually(s.t, testcluster.Patience, func() bool {
		_, _, code := s.ctl("list")
		return code == 0
	}, "the coordinator should answer; it printed: %s", s.coordinator.Log())
}

func (s *site) startAgent(name string) {
	s.t.Helper()
	m := s.agents[name]
	m.Process = m.start("benchd", m.args...)
}

// kill ends an agent as a power failure does.
func (s *site) kill(name string) {
	s.t.Helper()
	s.agents[name].Signal(syscall.SIGKILL)
	s.agents[name].Exit(testcluster.Patience)
}

func (s *site) ctl(args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	return testcluster.Run(s.t, 5*time.Minute, "benchctl", append(args, "--coordinator", s.address(), "--insecure")...)
}

// load returns the flags of the runs: few operations, so that a dozen of them run in parallel on a small machine.
func load() []string {
	return []string{"--db", "null", "-p", "recordcount=1000", "-p", "null.service=lognormal 10ms 0.3", "--threads", "2", "--duration", long.String()}
}

// ending is the end of a run.
type ending struct {
	result.Run
	id   string
	code int // of the benchctl that waited
}

// run starts a run, calls what with the time at which it began, and returns the end of the run.
func (s *site) run(what func(begun time.Time), args ...string) ending {
	s.t.Helper()
	before := s.newest()
	submit := append([]string{"submit", "--wait", "--coordinator", s.address(), "--insecure"}, args...)
	waiting := testcluster.Start(s.t, nil, "benchctl", submit...)
	var id string
	testcluster.Eventually(s.t, testcluster.Patience, func() bool {
		if id = s.newest(); id == before {
			return false
		}
		stdout, _, code := s.ctl("show", id, "-o", "json")
		return code == 0 && len(testcluster.Parse(s.t, stdout).Phases) > 0
	}, "the run should begin; the coordinator printed: %s", s.coordinator.Log())
	what(time.Now())
	code := waiting.Exit(long + 90*time.Second)
	e := ending{Run: s.show(id), id: id, code: code}

	outcomes.Lock()
	outcomes.rows = append(outcomes.rows, []string{
		s.t.Name(), string(e.Status), strconv.Itoa(e.code), strconv.FormatUint(e.Reconcile.Merged, 10), strings.Join(e.Missing, "; "),
	})
	outcomes.Unlock()
	return e
}

// show reads a result.
func (s *site) show(id string) result.Run {
	s.t.Helper()
	stdout, stderr, code := s.ctl("show", id, "-o", "json")
	require.Zero(s.t, code, stderr)
	return testcluster.Parse(s.t, stdout)
}

// newest returns the id of the newest suite, or "" if there is none.
func (s *site) newest() string {
	s.t.Helper()
	stdout, _, _ := s.ctl("list", "-o", "json")
	_, after, _ := strings.Cut(strings.ReplaceAll(stdout, " ", ""), `"id":"`)
	id, _, _ := strings.Cut(after, `"`)
	return id
}

// whole checks that nothing was lost or merged twice.
func (e ending) whole(t *testing.T) {
	t.Helper()
	require.Equal(t, result.Complete, e.Status, "%s %v", e.Reason, e.Missing)
	require.Zero(t, e.code)
	require.Empty(t, e.Missing)
	require.True(t, e.Reconcile.OK, "%+v", e.Reconcile)
	require.InDelta(t, long.Seconds(), e.Phases[0].Seconds, 0.1)
	e.once(t)
}

// once checks that all recorded operations were merged once.
func (e ending) once(t *testing.T) {
	t.Helper()
	require.Equal(t, e.Reconcile.Recorded, e.Reconcile.Merged)
	require.NotZero(t, e.Reconcile.Merged)
	for _, p := range e.Phases {
		var ops, inSeries uint64
		for _, o := range p.Operations {
			var shares uint64
			for _, a := range o.Agents {
				shares += a.Count
			}
			require.Equal(t, o.Count, shares)
			if o.PartOf == nil {
				ops += o.Count
			}
		}
		for _, point := range p.Series {
			inSeries += point.Ops
		}
		require.Equal(t, p.Ops, ops)
		require.Equal(t, p.Ops, inSeries)
	}
}

// ops returns the number of operations of an agent in the measured phase.
func (e ending) ops(agent string) (n uint64) {
	for _, o := range e.Phases[len(e.Phases)-1].Operations {
		for _, a := range o.Agents {
			if a.Name == agent {
				n += a.Count
			}
		}
	}
	return n
}

// at waits for an instant after begun.
func at(t *testing.T, begun time.Time, after time.Duration) {
	t.Helper()
	select {
	case <-time.After(time.Until(begun.Add(after))):
	case <-t.Context().Done():
		require.Fail(t, "the test was ended")
	}
}

// disk mounts a small file system.
func disk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	mountSmall(t, dir, size)
	return dir
}

// mountSmall mounts a small file system on dir.
func mountSmall(t *testing.T, dir, size string) {
	t.Helper()
	_, stderr, code := testcluster.Command(t, testcluster.Patience, "mount", "-t", "tmpfs", "-o", "mode=0700,size="+size, "tmpfs", dir)
	require.Zero(t, code, stderr)
	t.Cleanup(func() { cleanUp(t, "umount", "-l", dir) })
}

// fill fills a disk; the function that it returns frees the space again.
func fill(t *testing.T, dir string) (empty func()) {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	f, err := os.Create(path)
	require.NoError(t, err)
	for block := make([]byte, 64<<10); ; {
		if _, err := f.Write(block); err != nil {
			if len(block) == 1 {
				break
			}
			block = block[:len(block)/2]
		}
	}
	require.NoError(t, f.Close())
	return func() { require.NoError(t, os.Remove(path)) }
}
