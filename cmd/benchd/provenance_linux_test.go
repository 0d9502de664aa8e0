package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
)

// A result contains how the coordinator's listeners and the connections of its agents were protected (law 10), and what --insecure
// leaves open is in the log.
func TestAResultContainsTheProtectionOfConnections(t *testing.T) {
	ca := certstest.NewCA(t)
	server := tlsFlags(ca.Identify(t, identity.Coordinator, "c").Write(t, t.TempDir(), ca))
	client := tlsFlags(ca.Identify(t, identity.Agent, "client-1").Write(t, t.TempDir(), ca))
	operator := ca.Identify(t, identity.Operator, "anna").Store(t, ca)
	socket := "unix:" + filepath.Join(t.TempDir(), "s")
	for name, test := range map[string]struct {
		listen, http       string
		coordinator, agent []string
		creds              credentials.TransportCredentials
		grpc, web, between string
		warns              int
	}{
		"certificates": {
			listen: "127.0.0.1:0", http: "127.0.0.1:0", coordinator: server, agent: client, creds: cli.CoordinatorCredentials(operator, "127.0.0.1:1"),
			grpc: "TLS", web: "TLS", between: "TLS",
		},
		"insecure": {
			listen: "0.0.0.0:0", http: "0.0.0.0:0", coordinator: []string{"--insecure"}, creds: insecure.NewCredentials(),
			grpc: "plain text, with --insecure", web: "plain text, with --insecure", between: "plain text, on this machine only", warns: 2,
		},
		"socket": {
			listen: socket, http: "127.0.0.1:0", creds: insecure.NewCredentials(),
			grpc: "unix socket, for its user and root", web: "plain text, on this machine only", between: "unix socket, for its user and root",
		},
	} {
		t.Run(name, func(t *testing.T) {
			coordinator := start(t, append([]string{"coordinator", "--listen", test.listen, "--http", test.http, "--data", t.TempDir()}, test.coordinator...)...)
			at := coordinator.logs(`coordinator listens.* grpc=(\S+) http=(\S+)`)
			rpc := at[0]
			if test.listen != socket {
				rpc = "127.0.0.1:" + at[0][strings.LastIndex(at[0], ":")+1:]
			}
			start(t, append([]string{"agent", "--coordinator", rpc, "--name", "client-1", "--spool", t.TempDir()}, test.agent...)...).logs(`msg=connected`)
			c, err := remote.Dial(rpc, test.creds)
			require.NoError(t, err)
			defer c.Close()
			id, _, err := c.Submit(t.Context(), remote.Request{Agents: 1, Submission: spec.Submission{Properties: []spec.Setting{
				{Key: "db", Value: "null"}, {Key: "recordcount", Value: "10"}, {Key: "operationcount", Value: "10"},
			}}})
			require.NoError(t, err)
			run := ended(t, c, id)
			require.Equal(t, []string{"gRPC " + at[0] + ": " + test.grpc, "HTTP " + at[1] + ": " + test.web}, run.Provenance.Listeners)
			require.Equal(t, test.between, run.Provenance.Agents[0].Connection)
			require.Equal(t, test.warns, strings.Count(coordinator.log(), "no TLS: everyone on the network"))
		})
	}
}

// ended waits for the end of a run and returns its result.
func ended(t *testing.T, c *remote.Client, id string) (run result.Run) {
	t.Helper()
	require.NoError(t, c.Watch(t.Context(), id, true, remote.Follower{Progress: func(remote.Progress) {}, Lost: func(string) {}}))
	text, err := c.Result(t.Context(), id+".1")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &run))
	require.Equal(t, result.Complete, run.Status, run.Reason)
	return run
}
