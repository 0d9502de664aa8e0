package alarm_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/benchd/benchd/internal/alarm"
)

// TestAnAlarmWithoutADescriptorIsAnError lets the process open no more files.
func TestAnAlarmWithoutADescriptorIsAnError(t *testing.T) {
	var limit unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	none := limit
	none.Cur = 0
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &none))
	a, err := alarm.New()
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &limit))
	require.ErrorIs(t, err, unix.EMFILE)
	require.ErrorContains(t, err, "ulimit -n")
	require.Nil(t, a)
}
