package agent

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The processors that a process may not use are none of its idle ones.
func TestOnlyTheProcessorsThatAProcessMayUseAreSampled(t *testing.T) {
	var before unix.CPUSet
	require.NoError(t, unix.SchedGetaffinity(os.Getpid(), &before))
	t.Cleanup(func() { require.NoError(t, unix.SchedSetaffinity(os.Getpid(), &before)) })
	first := 0
	for !before.IsSet(first) {
		first++
	}
	var one unix.CPUSet
	one.Set(first)
	require.NoError(t, unix.SchedSetaffinity(os.Getpid(), &one))

	const cores = 1024 // more than the machine has: its set is never all of them
	set := allowed(cores)
	require.Equal(t, strconv.Itoa(first), set.text())
	require.Nil(t, allowed(1), "all of a host with one")

	s := &sampler{cores: cores, last: read(cores)}
	for s.last.busy+s.last.idle+2*enough > read(cores).busy+read(cores).idle {
		runtime.GC()
	}
	h := s.sample()
	require.InDelta(t, 1, h.Cores, 0)
	elapsed := s.last.busy + s.last.idle
	require.NoError(t, unix.SchedSetaffinity(os.Getpid(), &before))
	all := read(1)
	require.GreaterOrEqual(t, all.busy+all.idle, elapsed)
	if runtime.NumCPU() > 1 {
		require.Greater(t, all.busy+all.idle, 1.5*elapsed, "the other processors have counted as much")
	}
}
