//go:build faults

package faults

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

func TestAgentKilledAndStartedAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", nil)
	e := s.run(func(begun time.Time) {
		at(t, begun, 15*time.Second)
		s.kill("b")
		at(t, begun, 18*time.Second)
		s.startAgent("b")
	}, append(load(), "--on-agent-loss", "continue")...)
	require.Equal(t, result.Partial, e.Status, e.Reason)
	require.Equal(t, 4, e.code)
	require.Len(t, e.Missing, 1, "the missing part is named: %v", e.Missing)
	require.Contains(t, e.Missing[0], "agent b")
	require.InDelta(t, long.Seconds(), e.Phases[0].Seconds, 0.1)
	e.once(t)
	require.NotZero(t, e.ops("b"), "its earlier measurements are merged")
	require.Less(t, e.ops("b"), e.ops("a")/2)
}

func TestAgentKilledForGood(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", nil)
	e := s.run(func(begun time.Time) {
		at(t, begun, 10*time.Second)
		s.kill("b")
	}, load()...)
	require.Equal(t, result.Failed, e.Status, "the default is to fail")
	require.Equal(t, 1, e.code)
	require.Contains(t, e.Reason, "agent b")
	require.Contains(t, strings.Join(e.Missing, " "), "agent b")
	e.once(t)
}

func TestCoordinatorKilledThreeTimes(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", nil)
	e := s.run(func(begun time.Time) {
		for i := range 3 {
			at(t, begun, time.Duration(8+15*i)*time.Second)
			s.coordinator.Signal(syscall.SIGKILL)
			s.coordinator.Exit(testcluster.Patience)
			at(t, begun, time.Duration(11+15*i)*time.Second)
			s.open()
		}
	}, load()...)
	e.whole(t)
}

func TestLinkOfAnAgentDown(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", nil)
	e := s.run(func(begun time.Time) {
		at(t, begun, 12*time.Second)
		s.agents["b"].cut()
		at(t, begun, 32*time.Second)
		s.agents["b"].restore()
	}, load()...)
	e.whole(t)
}

func TestPacketsOfAnAgentSwallowed(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", nil)
	e := s.run(func(begun time.Time) {
		at(t, begun, 12*time.Second)
		s.agents["b"].swallow()
		at(t, begun, 32*time.Second)
		s.agents["b"].restore()
	}, load()...)
	e.whole(t)
}

func TestSickConnection(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]ills{
		"delay of 200 ± 100 ms": {delay: 200 * time.Millisecond, jitter: 100 * time.Millisecond},
		"64 KB a second":        {rate: 64 << 10},
		"reset at random":       {lives: 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sick *proxy
			s := newSite(t, "", func(s *site, agent string) []string {
				if agent != "b" {
					return nil
				}
				sick = newProxy(t, s.test(), s.address(), what)
				return []string{"--coordinator", sick.address()}
			})
			e := s.run(func(time.Time) {}, load()...)
			e.whole(t)
			if what.lives > 0 {
				sick.mu.Lock()
				defer sick.mu.Unlock()
				require.Greater(t, sick.resets, 3)
			}
		})
	}
}

func TestAgentPaused(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", nil)
	e := s.run(func(begun time.Time) {
		at(t, begun, 15*time.Second)
		s.agents["b"].Signal(syscall.SIGSTOP)
		at(t, begun, 25*time.Second)
		s.agents["b"].Signal(syscall.SIGCONT)
	}, load()...)
	e.whole(t)
	require.Less(t, float64(e.ops("b")), 0.9*float64(e.ops("a")))
	longest := 0.0
	for _, o := range e.Phases[0].Operations {
		longest = max(longest, o.Max)
	}
	require.Greater(t, longest, 9e6, "an operation that waited through the pause is recorded: %f µs", longest)
}

func TestSpoolOnAFullDisk(t *testing.T) {
	t.Parallel()
	small := disk(t, "66m") // the spool leaves 64 MiB of a disk to others
	s := newSite(t, "", func(_ *site, agent string) []string {
		if agent != "b" {
			return nil
		}
		return []string{"--spool", small}
	})
	fill(t, small)
	e := s.run(func(begun time.Time) {
		at(t, begun, 10*time.Second)
		s.agents["b"].cut()
		at(t, begun, 28*time.Second)
		s.agents["b"].restore()
	}, load()...)
	e.whole(t)
	require.Contains(t, s.agents["b"].Log(), "windows are kept in memory only")
}

func TestArchiveOnAFullDisk(t *testing.T) {
	t.Parallel()
	small := disk(t, "8m")
	s := newSite(t, small, nil)
	e := s.run(func(begun time.Time) {
		at(t, begun, 10*time.Second)
		empty := fill(t, small)
		at(t, begun, 15*time.Second)
		_, stderr, code := s.ctl(append([]string{"submit"}, load()...)...)
		require.Equal(t, 5, code, "a submission that cannot be archived is rejected: %s", stderr)
		at(t, begun, 30*time.Second)
		empty()
	}, load()...)
	e.whole(t)
	require.Contains(t, s.coordinator.Log(), "archive")
}

// TestOrphanStopsAndDeliversLater leaves agents without a coordinator for longer than the orphan timeout: their load stops, and
// they deliver their measurements to the restarted coordinator.
func TestOrphanStopsAndDeliversLater(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", func(*site, string) []string { return []string{"--orphan-timeout", "10s"} })
	e := s.run(func(begun time.Time) {
		at(t, begun, 10*time.Second)
		s.coordinator.Signal(syscall.SIGKILL)
		s.coordinator.Exit(testcluster.Patience)
		for _, m := range s.agents {
			m.Says("load stops")
		}
		at(t, begun, 30*time.Second)
		s.open()
	}, append(load(), "--on-agent-loss", "continue")...)
	require.NotEqual(t, result.Complete, e.Status)
	require.Len(t, e.Missing, 3)
	require.Contains(t, strings.Join(e.Missing, " "), "no coordinator for 10s")
	require.True(t, e.Reconcile.OK, "%+v", e.Reconcile)
	require.Greater(t, e.Phases[0].Seconds, 15.0, "they continued without it")
	e.once(t)
}
