//go:build hbase

package hbase

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// launchSandbox starts a sandbox as a process.
func launchSandbox(t *testing.T, name string) *server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, testcluster.Program("benchd"), "sandbox", "--zookeeper", "127.0.0.1:0", "--info", "127.0.0.1:0")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	s := &server{name: name, stop: func() {
		cancel()
		_ = cmd.Wait() // killed
	}}

	// The sandbox prints instructions; the last line is about benchctl sandbox.
	printed := make(chan string, 1)
	go func() {
		defer close(printed)
		var text strings.Builder
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			text.WriteString(lines.Text() + "\n")
			if strings.Contains(lines.Text(), "benchctl sandbox") {
				printed <- text.String()
				return
			}
		}
	}()
	var text string
	select {
	case text = <-printed:
	case <-time.After(testcluster.Patience):
	}
	quorum := regexp.MustCompile(`hbase\.zookeeper\.quorum +(\S+)`).FindStringSubmatch(text)
	info := regexp.MustCompile(`http://(\S+)/jmx`).FindStringSubmatch(text)
	if quorum == nil || info == nil {
		s.stop()
		require.Fail(t, "the sandbox should print its addresses", text)
	}
	s.quorum = quorum[1]
	s.kill = func(t *testing.T, server string) {
		t.Helper()
		_, stderr, code := testcluster.Run(t, time.Minute, "benchctl", "sandbox", "kill-server", server, "--sandbox", info[1])
		require.Zero(t, code, stderr)
	}
	return s
}
