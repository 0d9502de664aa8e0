package view

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/cli/ttytest"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLiveRestoresTheTerminalAndReportsKeys(t *testing.T) {
	tty := ttytest.Open(t)
	before := tty.Settings()
	keys := make(chan Key, 4)
	v := StartLive(tty.File, tty.File, keys)
	v.Progress(remote.Progress{Suite: "S", Run: "S.1", Status: result.Running, Phase: "measure", Elapsed: time.Second, Planned: 2 * time.Second})
	tty.Shows("running", 1)
	tty.Shows("50 %", 1)
	require.NotEqual(t, before, tty.Settings(), "keys come one by one")

	tty.Press("\x03")
	require.Equal(t, Interrupt, <-keys)
	v.ShowAside(Aside{Question: "Cancel S?"})
	tty.Shows("Cancel S?", 1)
	tty.Press("x") // has no meaning
	tty.Press("y")
	require.Equal(t, Yes, <-keys)
	tty.Press("\r")
	require.Equal(t, No, <-keys)

	_, err := v.Write([]byte("level=WARN msg=\"a log line\"\n"))
	require.NoError(t, err)
	tty.Shows("a log line", 1)

	require.NoError(t, v.Close())
	require.Equal(t, before, tty.Settings())
	tty.Shows("\x1b[?25h", 1) // the cursor is visible again
	v.Progress(remote.Progress{})
	_, err = v.Write([]byte("afterwards\n"))
	require.NoError(t, err)
	tty.Shows("afterwards", 1)
}

func TestLiveWithoutKeysLeavesTheTerminalsInputAlone(t *testing.T) {
	tty := ttytest.Open(t)
	before := tty.Settings()
	v := StartLive(nil, tty.File, nil)
	v.Progress(remote.Progress{Suite: "S", Run: "S.1", Status: result.Running, Phase: "measure"})
	tty.Shows("goes on until it is cancelled", 1)
	require.Equal(t, before, tty.Settings())
	require.NoError(t, v.Close())
}
