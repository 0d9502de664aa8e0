package ttytest

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/benchd/benchd/internal/tolerance"
)

// TTY is a terminal with its user.
type TTY struct {
	// File is the terminal as programs have it.
	File *os.File

	t    testing.TB
	user *os.File
	done chan struct{}

	mu   sync.Mutex
	seen strings.Builder
}

// Open makes a terminal that lasts as long as the test.
func Open(t testing.TB) *TTY {
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
	s := &TTY{t: t, user: user, File: file, done: make(chan struct{})}
	go s.read()
	t.Cleanup(func() {
		require.NoError(t, file.Close()) // read returns when the terminal is closed
		<-s.done
		require.NoError(t, user.Close())
	})
	return s
}

func (s *TTY) read() {
	defer close(s.done)
	buf := make([]byte, 4096)
	for {
		n, err := s.user.Read(buf)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.seen.Write(buf[:n])
		s.mu.Unlock()
	}
}

// Text returns everything written to the terminal, with its escape sequences.
func (s *TTY) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

// Shows waits until text has been written n times in total.
func (s *TTY) Shows(text string, n int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return strings.Count(s.Text(), text) >= n }, tolerance.Patience, 5*time.Millisecond, "%q", text)
}

// Press types keys.
func (s *TTY) Press(keys string) {
	s.t.Helper()
	_, err := s.user.WriteString(keys)
	require.NoError(s.t, err)
}

// Settings returns the terminal's settings, which a program has to restore.
func (s *TTY) Settings() unix.Termios {
	s.t.Helper()
	settings, err := unix.IoctlGetTermios(int(s.File.Fd()), unix.TCGETS)
	require.NoError(s.t, err)
	return *settings
}
