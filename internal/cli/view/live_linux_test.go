package view

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tty is a terminal of 100 columns and 30 lines, and the end at which its user sits.
type tty struct {
	t          *testing.T
	user, file *os.File
	done       chan struct{}

	mu   sync.Mutex
	seen strings.Builder
}

func openTTY(t *testing.T) *tty {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	fd := int(user.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 100}))
	file, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	s := &tty{t: t, user: user, file: file, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		buf := make([]byte, 4096)
		for {
			n, err := user.Read(buf)
			if err != nil {
				return
			}
			s.mu.Lock()
			s.seen.Write(buf[:n])
			s.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		file.Close() // the user's end reads EIO then
		<-s.done
		user.Close()
	})
	return s
}

func (s *tty) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

func (s *tty) shows(text string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return strings.Contains(s.text(), text) }, 10*time.Second, 5*time.Millisecond, text)
}

func (s *tty) press(keys string) {
	s.t.Helper()
	_, err := s.user.WriteString(keys)
	require.NoError(s.t, err)
}

func (s *tty) settings() unix.Termios {
	s.t.Helper()
	settings, err := unix.IoctlGetTermios(int(s.file.Fd()), unix.TCGETS)
	require.NoError(s.t, err)
	return *settings
}

func TestLiveGivesTheTerminalBackAndPassesKeysOn(t *testing.T) {
	s := openTTY(t)
	before := s.settings()
	keys := make(chan Key, 4)
	v := StartLive(s.file, s.file, keys)
	v.Progress(remote.Progress{Suite: "S", Run: "S.1", Status: result.Running, Phase: "measure", Elapsed: time.Second, Planned: 2 * time.Second})
	s.shows("running")
	s.shows("50 %")
	require.NotEqual(t, before, s.settings(), "keys come one by one")

	s.press("\x03")
	require.Equal(t, Interrupt, <-keys)
	v.Tell(Aside{Question: "Cancel S?"})
	s.shows("Cancel S?")
	s.press("x") // means nothing
	s.press("y")
	require.Equal(t, Yes, <-keys)
	s.press("\r")
	require.Equal(t, No, <-keys)

	_, err := v.Write([]byte("level=WARN msg=\"a log line\"\n"))
	require.NoError(t, err)
	s.shows("a log line")

	require.NoError(t, v.Close())
	require.Equal(t, before, s.settings())
	s.shows("\x1b[?25h") // the cursor is there again
	v.Progress(remote.Progress{})
	_, err = v.Write([]byte("afterwards\n"))
	require.NoError(t, err)
	s.shows("afterwards")
}

func TestLiveWithoutKeysLeavesTheTerminalsInputAlone(t *testing.T) {
	s := openTTY(t)
	before := s.settings()
	v := StartLive(nil, s.file, nil)
	v.Progress(remote.Progress{Suite: "S", Run: "S.1", Status: result.Running, Phase: "measure"})
	s.shows("goes on until it is cancelled")
	require.Equal(t, before, s.settings())
	require.NoError(t, v.Close())
}
