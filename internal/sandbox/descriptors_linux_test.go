package sandbox_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/benchd/benchd/internal/randdur"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/sandbox/service"
)

func TestASandboxWithoutDescriptorsForItsTimersIsAnError(t *testing.T) {
	var limit unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	none := limit
	none.Cur = 0
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &none))
	s, startErr := sandbox.Start(t.Context(), sandbox.Options{Logger: slog.New(slog.DiscardHandler)})
	m, modelErr := service.New(service.Config{Time: randdur.Duration{Shape: randdur.Constant, Time: time.Millisecond}}, 1)
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &limit))
	require.Nil(t, s)
	require.Nil(t, m)
	for _, err := range []error{startErr, modelErr} {
		require.ErrorIs(t, err, unix.EMFILE)
		require.ErrorContains(t, err, "make a precise timer")
		require.ErrorContains(t, err, "ulimit -n")
	}
}
