//go:build faults

package faults

import (
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/test/testcluster"
)

// sandbox starts a sandbox on a host of its own and returns the host.
func (s *site) sandbox() *host {
	s.t.Helper()
	h := s.host("target")
	p := h.start("benchd", "sandbox", "--zookeeper", h.ip+":2181", "--info", h.ip+":16010", "--region-servers", "2", "--insecure")
	p.Says("sandbox is up")
	return h
}

// on returns the flags of a run against the target on h.
func on(h *host, settings ...string) []string {
	args := []string{"--db", "hbase", "-p", "hbase.zookeeper.quorum=" + h.ip + ":2181", "-p", "columnfamily=family"}
	for _, s := range settings {
		args = append(args, "-p", s)
	}
	return args
}

func TestTargetUnreachable(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", nil)
	target := s.sandbox()
	s.ctl(append(on(target, "recordcount=1000", "fieldcount=1"), "submit", "--phase", "load", "--wait")...) // flags can be anywhere
	e := s.run(func(begun time.Time) {
		at(t, begun, 15*time.Second)
		target.cut()
		at(t, begun, 30*time.Second)
		target.restore()
	}, append(on(target, "recordcount=1000", "fieldcount=1", "hbase.client.operation.timeout=3000", "target=100"), "--threads", "2", "--duration", long.String())...)
	require.Equal(t, result.Complete, e.Status, "%s %v", e.Reason, e.Missing)
	require.Zero(t, e.code)
	require.True(t, e.Reconcile.OK)
	e.once(t)
	kinds := map[string]uint64{}
	for _, o := range e.Phases[0].Operations {
		if o.PartOf == nil {
			kinds[o.Outcome] += o.Count
		}
	}
	require.NotZero(t, kinds["TIMEOUT"]+kinds["SERVICE_UNAVAILABLE"]+kinds["ERROR"], "errors are counted by kind: %v", kinds)
	require.Greater(t, kinds["OK"], uint64(2000))
	var before, during, after uint64
	for _, p := range e.Phases[0].Series {
		for _, o := range p.Operations {
			switch {
			case o.Outcome != "OK":
			case p.T >= 5 && p.T < 14:
				before += o.Count
			case p.T >= 19 && p.T < 28:
				during += o.Count
			case p.T >= 45 && p.T < 54:
				after += o.Count
			}
		}
	}
	require.Less(t, during, before/5, "the dip is in the series")
	require.Greater(t, after, before/2, "and the recovery")
}

// TestLoadOfTwoMillionRows kills agents and the coordinator at five random instants of a load: the table has every row, and the
// result counts each row once and lists the events.
func TestLoadOfTwoMillionRows(t *testing.T) {
	const rows = 2_000_000
	s := newSite(t, "", nil)
	target := s.sandbox()
	random := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	names := []string{"a", "b", "c"}
	e := s.run(func(time.Time) {
		for range 5 {
			at(t, time.Now(), time.Second+rand.N(4*time.Second))
			if random.IntN(3) == 0 {
				s.coordinator.Signal(syscall.SIGKILL)
				s.coordinator.Exit(testcluster.Patience)
				s.open()
				continue
			}
			name := names[random.IntN(len(names))]
			s.kill(name)
			s.startAgent(name)
		}
	}, append(on(target, "recordcount=2000000", "fieldcount=1", "fieldlength=20", "batchsize=20", "hbase.splits=6"),
		"--phase", "load", "--threads", "4", "--on-agent-loss", "continue")...)
	require.Equal(t, result.Complete, e.Status, "%s %v", e.Reason, e.Missing)
	require.Zero(t, e.code)
	require.EqualValues(t, rows, e.Phases[0].Rows, "each row is counted once")
	require.True(t, e.Reconcile.OK, "%+v", e.Reconcile)
	e.once(t)
	var texts []string
	for _, event := range e.Phases[0].Events {
		texts = append(texts, event.Text)
	}
	all := strings.Join(texts, "\n")
	require.True(t, strings.Contains(all, " continues ") || strings.Contains(all, "the coordinator was restarted"), "the result lists the event: %s", all)

	client, err := admin.Connect(t.Context(), admin.Config{Quorum: target.ip + ":2181"})
	require.NoError(t, err)
	defer client.Close()
	n, err := client.Count(t.Context(), "usertable")
	require.NoError(t, err)
	require.EqualValues(t, rows, n)
}

// TestStewardKilledDuringAnAction kills the agent that waits for the target to be quiet: the outcome of the action is unknown, so no
// agent repeats it, and the run fails with that reason.
func TestStewardKilledDuringAnAction(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", nil)
	target := s.sandbox()
	kill := func(time.Time) {
		steward := ""
		testcluster.Eventually(t, testcluster.Patience, func() bool {
			for _, event := range s.show(s.newest()).Phases[0].Events {
				if event.Kind == "action" && strings.Contains(event.Text, "wait_for_quiet") {
					return true
				}
			}
			return false
		}, "the action should begin; the coordinator printed: %s", s.coordinator.Log())
		for _, a := range s.show(s.newest()).Provenance.Agents {
			if a.Shard == 0 {
				steward = a.Name
			}
		}
		s.kill(steward)
		s.startAgent(steward)
	}
	var e ending
	for try := 1; ; try++ {
		e = s.run(kill, append(on(target, "recordcount=1000", "fieldcount=1", "after.load=wait_for_quiet", "hbase.table.create=recreate"),
			"--phase", "load,run", "--threads", "2", "--duration", "10s", "--on-agent-loss", "continue")...)
		over := slices.ContainsFunc(e.Phases[0].Events, func(event result.Event) bool {
			return event.Kind == "action" && strings.Contains(event.Text, "wait_for_quiet ended")
		})
		if !over || try == tolerance.Tries {
			break
		}
		t.Logf("try %d: the action was over before its agent was killed", try)
	}
	require.Equal(t, result.Failed, e.Status)
	require.Equal(t, 1, e.code)
	require.Contains(t, e.Reason, "wait_for_quiet", "the action is named")
	require.True(t, e.Reconcile.OK, "%+v", e.Reconcile)
	e.once(t)
	var orders int
	for _, event := range e.Phases[0].Events {
		if event.Kind == "action" && strings.Contains(event.Text, "begins") {
			orders++
		}
	}
	require.LessOrEqual(t, orders, 1, "it is not ordered again: %+v", e.Phases[0].Events)
}
