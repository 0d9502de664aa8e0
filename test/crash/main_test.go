//go:build integration

package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		fmt.Fprintln(os.Stderr, child(dir, os.Getenv(childDone)))
		os.Exit(1)
	}
	logrus.SetLevel(logrus.PanicLevel) // gohbase logs each connection that a kill breaks
	os.Exit(testcluster.Main(m))
}

// kills returns the number of times that a process is killed: BENCHD_CRASH_KILLS, or the default.
func kills(t *testing.T, usually int) int {
	t.Helper()
	text := os.Getenv("BENCHD_CRASH_KILLS")
	if text == "" {
		return usually
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "BENCHD_CRASH_KILLS is a number")
	return n
}

// killLater kills a process at a random instant.
func killLater(p *testcluster.Process) {
	<-time.After(time.Duration(rand.IntN(300)) * time.Millisecond)
	p.Signal(syscall.SIGKILL)
}
