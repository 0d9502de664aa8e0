package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/agent/enroll"
	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
)

// old makes a directory of --identity whose certificate was issued some time ago, for 30 days, and returns its serial number.
func (in *installation) old(name string, ago time.Duration) (folder, serial string) {
	in.t.Helper()
	folder = in.t.TempDir()
	require.NoError(in.t, os.Chmod(folder, 0o700))
	key, err := pki.NewKey()
	require.NoError(in.t, err)
	text, err := pki.EncodeKey(key)
	require.NoError(in.t, err)
	request, err := pki.Request(name, key)
	require.NoError(in.t, err)
	in.Now = func() time.Time { return time.Now().Add(-ago) }
	chain, err := in.Enroller().Renew(identity.Identity{Role: identity.Agent, Name: name}, request)
	require.NoError(in.t, err)
	in.Now = nil
	for file, content := range map[string][]byte{pki.KeyFile: text, pki.CertFile: chain, pki.RootFile: in.Root()} {
		require.NoError(in.t, os.WriteFile(filepath.Join(folder, file), content, 0o600))
	}
	leaf, err := pki.ParseChain(chain)
	require.NoError(in.t, err)
	return folder, identity.Serial(leaf[0])
}

// viewer returns a client's store.
func (in *installation) viewer() *certs.Store {
	in.t.Helper()
	issued, err := in.Issue(identity.Identity{Role: identity.Viewer, Name: "anna"}, pki.IssueOptions{})
	require.NoError(in.t, err)
	dir := in.t.TempDir()
	_, err = in.Save(dir, issued)
	require.NoError(in.t, err)
	s, err := certs.Load(enroll.Folder(dir).Files(), certs.Options{})
	require.NoError(in.t, err)
	return s
}

// agentMetrics reads the metrics of an agent that joined, which is named by the host that all of them have.
func (in *installation) agentMetrics(address string) string {
	in.t.Helper()
	status, body := fetchTLS(in.t, in.viewer().ClientConfig(identity.Agent, pki.AgentHost), "https://"+address+"/metrics")
	require.Equal(in.t, http.StatusOK, status)
	return body
}

func TestACertificateIsRenewedAtTwoThirdsOfItsLife(t *testing.T) {
	t.Parallel()
	in := install(t)
	_, rpc := in.serve()
	young, kept := in.old("client-1", 19*24*time.Hour)
	due, before := in.old("client-2", 21*24*time.Hour)
	one, two := start(t, agentArgs(t, rpc, young)...), start(t, agentArgs(t, rpc, due)...)
	one.logs(`msg=connected`)
	two.logs(`msg=connected`)
	renewed := two.logs(`certificate renewed.* serial=([0-9a-f]+) until=`)[0]
	require.NotEqual(t, before, renewed)
	metrics := two.logs(`agent starts.* http=(\S+)`)[0]
	require.Equal(t, renewed, serial(t, metrics), "the next handshake has it")
	require.Contains(t, in.agentMetrics(metrics), "\nbenchd_agent_certificate_renewals_total 1\n")
	require.Contains(t, in.agentMetrics(metrics), "\nbenchd_agent_certificate_renewal_failures_total 0\n")
	require.NotContains(t, two.log(), "lost the connection")
	require.Contains(t, in.agentMetrics(metrics), "\nbenchd_agent_connected 1\n")
	files, err := filepath.Glob(filepath.Join(due, ".*"))
	require.NoError(t, err)
	require.Empty(t, files, "nothing is left of the swap")

	metrics = one.logs(`agent starts.* http=(\S+)`)[0]
	require.Equal(t, kept, serial(t, metrics), "19 of 30 days are over")
	require.Contains(t, in.agentMetrics(metrics), "\nbenchd_agent_certificate_renewals_total 0\n")
}

func TestAFailedRenewalShowsAndIsTriedAgain(t *testing.T) {
	t.Parallel()
	in := install(t)
	flags := in.flags("127.0.0.1:0")
	without := start(t, append(flags[:7], flags[9:]...)...)
	rpc := without.logs(`coordinator listens.* grpc=(\S+) http`)[0]
	folder, before := in.old("client-1", 21*24*time.Hour)
	agent := start(t, agentArgs(t, rpc, folder)...)
	agent.logs(`msg=connected`)
	agent.logs(`cannot renew the certificate of the agent.* error="this coordinator issues no certificates: start it with --enroll DIR.* next_try=`)
	metrics := agent.logs(`agent starts.* http=(\S+)`)[0]
	require.Equal(t, before, serial(t, metrics), "the certificate stays in use")
	require.Regexp(t, `\nbenchd_agent_certificate_renewal_failures_total [1-9]`, in.agentMetrics(metrics))
	require.NoError(t, without.stop())
	start(t, in.flags(rpc)...)
	agent.logs(`certificate renewed`)
}
