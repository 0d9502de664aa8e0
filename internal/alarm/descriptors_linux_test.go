package alarm_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/benchd/benchd/internal/alarm"
)

// withoutDescriptors calls f while the process may open no more files.
func withoutDescriptors(t *testing.T, f func() error) {
	t.Helper()
	var limit unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	none := limit
	none.Cur = 0
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &none))
	err := f()
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &limit))
	require.ErrorIs(t, err, unix.EMFILE)
	require.ErrorContains(t, err, "ulimit -n")
}

func TestAnAlarmWithoutADescriptorIsAnError(t *testing.T) {
	withoutDescriptors(t, func() error {
		a, err := alarm.New()
		require.Nil(t, a)
		return err
	})
}

func TestASharedTimerWithoutADescriptorIsAnError(t *testing.T) {
	withoutDescriptors(t, func() error {
		b, err := alarm.NewSharedTimer()
		require.Nil(t, b)
		return err
	})
}
