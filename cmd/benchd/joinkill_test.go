package main

import (
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/freeport"
	"github.com/benchd/benchd/internal/pki"
	"github.com/benchd/benchd/internal/tolerance"
)

// spawn starts a command of benchd as a process, which the test kills by stop.
func spawn(t *testing.T, args ...string) *command {
	t.Helper()
	c := &command{t: t}
	cmd := exec.CommandContext(t.Context(), "benchd", args...) // this program, by testscript
	cmd.Stderr = c
	require.NoError(t, cmd.Start())
	c.stop = sync.OnceValue(func() error {
		err := cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait() // it was killed
		return err
	})
	t.Cleanup(func() {
		_ = c.stop()
		if t.Failed() {
			t.Logf("%s\n%s", strings.Join(args, " "), c.log())
		}
	})
	return c
}

// uses counts the uses of join tokens in the ledger of the coordinator.
func (in *installation) uses() int {
	text, err := os.ReadFile(filepath.Join(in.data, "joined.jsonl"))
	if err != nil {
		return 0
	}
	return strings.Count(string(text), "\n")
}

// gate is a proxy between agents and a coordinator. From the use of a join token on it withholds the answers.
type gate struct {
	address string
	used    chan struct{} // closed when the gate withholds
	open    func()        // passes the answers of further connections
}

func (in *installation) gate(coordinator string) *gate {
	in.t.Helper()
	l, err := new(net.ListenConfig).Listen(in.t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(in.t, err)
	g := &gate{address: l.Addr().String(), used: make(chan struct{})}
	opened := make(chan struct{})
	g.open = sync.OnceFunc(func() { close(opened) })
	used := sync.OnceFunc(func() { close(g.used) })
	var all sync.WaitGroup
	in.t.Cleanup(func() {
		g.open()
		_ = l.Close()
		all.Wait()
	})
	all.Go(func() {
		for {
			agent, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer agent.Close()
				server, err := net.Dial("tcp", coordinator) //nolint:noctx // it is closed with the agent's connection
				if err != nil {
					return
				}
				defer server.Close()
				all.Go(func() { _, _ = io.Copy(server, agent); _ = server.Close() })
				in.pass(agent, server, opened, used)
			})
		}
	})
	return g
}

// pass copies answers. The coordinator answers a request to join after the use of its token is in the ledger, and the agent has all of the
// handshake before it asks: so no answer passes that is read when the ledger has a use.
func (in *installation) pass(agent, server net.Conn, opened chan struct{}, used func()) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		select {
		case <-opened:
		default:
			if in.uses() > 0 {
				used()
				<-opened
				return
			}
		}
		if err != nil {
			return
		}
		if _, err := agent.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// wait waits until a token is used, and its answer withheld.
func (g *gate) wait(t *testing.T) {
	t.Helper()
	select {
	case <-g.used:
	case <-time.After(tolerance.Patience):
		t.Fatal("no token is used")
	}
}

func TestAnAgentThatIsKilledWithItsKeyGoesOnWithTheToken(t *testing.T) {
	t.Parallel()
	in := install(t)
	address := unused(t)
	folder := filepath.Join(t.TempDir(), "identity")
	args := agentArgs(t, address, folder, "--join", in.token("client-1", 0))
	agent := spawn(t, args...)
	agent.logs(`cannot join yet`) // its key is stored before the first request
	require.NoError(t, agent.stop())
	key := read(t, folder, pki.KeyFile)
	require.NoFileExists(t, filepath.Join(folder, pki.CertFile))

	start(t, in.flags(address)...)
	spawn(t, args...).logs(`msg=connected .*agent=client-1`)
	require.Equal(t, key, read(t, folder, pki.KeyFile))
}

// unused returns an address at which nothing listens.
func unused(t *testing.T) string {
	t.Helper()
	address, err := freeport.Address()
	require.NoError(t, err)
	return address
}

func TestAnAgentThatIsKilledBeforeItsAnswerGoesOnWithTheToken(t *testing.T) {
	t.Parallel()
	in := install(t)
	_, rpc := in.serve()
	g := in.gate(rpc)
	folder, token := filepath.Join(t.TempDir(), "identity"), in.token("client-1", 0)
	agent := spawn(t, agentArgs(t, g.address, folder, "--join", token)...)
	g.wait(t)
	require.NoError(t, agent.stop())
	key := read(t, folder, pki.KeyFile)
	require.NoFileExists(t, filepath.Join(folder, pki.CertFile), "the answer was withheld")

	thief := agentArgs(t, rpc, filepath.Join(t.TempDir(), "identity"), "--join", token)
	err := program().Run(t.Context(), thief, cli.Streams{Out: io.Discard, Err: io.Discard})
	require.ErrorContains(t, err, "the join token of client-1 was used already by another key")
	spawn(t, agentArgs(t, rpc, folder, "--join", token)...).logs(`msg=connected .*agent=client-1`)
	require.Equal(t, key, read(t, folder, pki.KeyFile))
	require.Equal(t, 1, in.uses())
}

func TestACoordinatorThatIsKilledBeforeItsAnswerGivesItAgain(t *testing.T) {
	t.Parallel()
	in := install(t)
	address := unused(t)
	coordinator := spawn(t, in.flags(address)...)
	coordinator.logs(`coordinator listens`)
	g := in.gate(address)
	folder, token := filepath.Join(t.TempDir(), "identity"), in.token("client-1", 0)
	agent := spawn(t, agentArgs(t, g.address, folder, "--join", token)...)
	g.wait(t)
	require.NoError(t, coordinator.stop())
	g.open()
	require.NoFileExists(t, filepath.Join(folder, pki.CertFile), "the answer was withheld")
	ledger := read(t, in.data, "joined.jsonl")

	agent.logs(`cannot join yet`)
	spawn(t, in.flags(address)...).logs(`coordinator listens`)
	agent.logs(`msg=connected .*agent=client-1`)
	require.Equal(t, ledger, read(t, in.data, "joined.jsonl"), "the use was in the ledger already")
	err := program().Run(t.Context(), agentArgs(t, address, filepath.Join(t.TempDir(), "identity"), "--join", token), cli.Streams{Out: io.Discard, Err: io.Discard})
	require.ErrorContains(t, err, "the join token of client-1 was used already by another key")
}

func TestAnAgentThatIsKilledAtAnyMomentJoins(t *testing.T) {
	t.Parallel()
	in := install(t)
	_, rpc := in.serve()
	for round := range 3 {
		folder := filepath.Join(t.TempDir(), "identity")
		args := agentArgs(t, rpc, folder, "--join", in.token("client-1", 0))
		var key string
		for range 4 {
			agent := spawn(t, args...)
			<-time.After(time.Duration(rand.IntN(150)) * time.Millisecond)
			require.NoError(t, agent.stop())
			if text, err := os.ReadFile(filepath.Join(folder, pki.KeyFile)); err == nil {
				require.Contains(t, []string{"", string(text)}, key, "the key stays")
				key = string(text)
			}
		}
		agent := spawn(t, args...)
		agent.logs(`msg=connected`)
		require.NoError(t, agent.stop())
		require.Equal(t, round+1, in.uses())
	}
}
