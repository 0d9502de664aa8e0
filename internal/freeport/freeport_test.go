package freeport

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A process of this test binary takes ports and prints them.
func TestMain(m *testing.M) {
	if os.Getenv("FREEPORT_TAKE") != "" {
		for range 100 {
			port, err := Take()
			if err != nil {
				_, _ = os.Stderr.WriteString(err.Error() + "\n")
				os.Exit(1)
			}
			_, _ = os.Stdout.WriteString(strconv.Itoa(port) + "\n")
		}
		_, _ = os.Stdin.Read(make([]byte, 1)) // keeps them until the test has all
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestPortsOfTwoProcessesDiffer(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 2 {
		c := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0])
		c.Env = append(os.Environ(), "FREEPORT_TAKE=1")
		c.Stderr = os.Stderr
		in, err := c.StdinPipe()
		require.NoError(t, err)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		t.Cleanup(func() { require.NoError(t, in.Close()); require.NoError(t, c.Wait()) })
		var text strings.Builder
		buffer := make([]byte, 4096)
		for strings.Count(text.String(), "\n") < 100 {
			n, err := out.Read(buffer)
			require.NoError(t, err)
			text.Write(buffer[:n])
		}
		for port := range strings.FieldsSeq(text.String()) {
			require.False(t, seen[port], "port %s", port)
			seen[port] = true
		}
	}
	require.Len(t, seen, 200)
}

func TestTakenPortsAreNotTheKernels(t *testing.T) {
	t.Parallel()
	address, err := Address()
	require.NoError(t, err)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	port := l.Addr().(*net.TCPAddr).Port
	require.GreaterOrEqual(t, port, first)
	require.Less(t, port, last)
	require.Error(t, take(t.TempDir(), port), "something listens on it")
}
