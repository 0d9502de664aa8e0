package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/agent/enroll"
	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
	"github.com/benchd/benchd/internal/tolerance"
)

// installation is an authority, with the files and flags of a coordinator.
type installation struct {
	*pki.Authority

	t    *testing.T
	dir  string // of the coordinator's certificate
	data string
}

func install(t *testing.T) *installation {
	t.Helper()
	a, err := pki.Init(filepath.Join(t.TempDir(), "pki"), pki.InitOptions{})
	require.NoError(t, err)
	in := &installation{Authority: a, t: t, dir: t.TempDir(), data: t.TempDir()}
	in.issue(in.dir)
	return in
}

// issue issues a certificate of the coordinator into a directory, and returns its serial number.
func (in *installation) issue(dir string) string {
	in.t.Helper()
	issued, err := in.Issue(identity.Identity{Role: identity.Coordinator, Name: "bench"}, pki.IssueOptions{Hosts: []string{"127.0.0.1"}})
	require.NoError(in.t, err)
	_, err = in.Save(dir, issued)
	require.NoError(in.t, err)
	return issued.Record.Serial
}

// flags are those of a coordinator on an address, by which agents can join.
func (in *installation) flags(listen string) []string {
	own := []string{"coordinator", "--listen", listen, "--http", "127.0.0.1:0", "--data", in.data, "--enroll", in.dir}
	return append(own, tlsFlags(enroll.Folder(in.dir).Files())...)
}

// serve starts the coordinator, and returns its address.
func (in *installation) serve() (*command, string) {
	in.t.Helper()
	c := start(in.t, in.flags("127.0.0.1:0")...)
	return c, c.logs(`coordinator listens.* grpc=(\S+) http`)[0]
}

// token makes a join token that was made some time ago, with a life of an hour, and returns the value of --join.
func (in *installation) token(name string, ago time.Duration) string {
	in.t.Helper()
	in.Now = func() time.Time { return time.Now().Add(-ago) }
	text, err := in.Token(name, time.Hour)
	require.NoError(in.t, err)
	in.Now = nil
	path := filepath.Join(in.t.TempDir(), "token")
	require.NoError(in.t, os.WriteFile(path, []byte(text+"\n"), 0o600))
	return "file:" + path
}

// agentArgs are the arguments of an agent that joins.
func agentArgs(t *testing.T, coordinator, folder string, more ...string) []string {
	t.Helper()
	return append([]string{"agent", "--coordinator", coordinator, "--spool", t.TempDir(), "--identity", folder}, more...)
}

// read reads a file in a folder.
func read(t *testing.T, elements ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elements...))
	require.NoError(t, err)
	return string(text)
}

func TestAnAgentJoinsOnceAndKeepsItsCertificate(t *testing.T) {
	t.Parallel()
	in := install(t)
	_, rpc := in.serve()
	folder, token := filepath.Join(t.TempDir(), "identity"), in.token("client-1", 0)
	args := agentArgs(t, rpc, folder, "--join", token)
	first := start(t, args...)
	first.logs(`msg=joined .*agent=client-1`)
	first.logs(`msg=connected`)
	require.NoError(t, first.stop())
	require.NotContains(t, first.log(), "TLS certificate expires", "the agent will renew it")
	info, err := os.Stat(filepath.Join(folder, pki.KeyFile))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	key, cert := read(t, folder, pki.KeyFile), read(t, folder, pki.CertFile)
	require.NotContains(t, first.log(), "benchd-join-1.")

	require.NoError(t, os.Remove(strings.TrimPrefix(token, "file:")))
	again := start(t, args...)
	again.logs(`msg=connected .*agent=client-1`)
	require.NoError(t, again.stop())
	start(t, agentArgs(t, rpc, folder)...).logs(`msg=connected .*agent=client-1`)
	require.Equal(t, key, read(t, folder, pki.KeyFile))
	require.Equal(t, cert, read(t, folder, pki.CertFile))
}

func TestATokenComesFromTheEnvironmentToo(t *testing.T) {
	in := install(t)
	_, rpc := in.serve()
	t.Setenv("JOIN_OF_TEST", read(t, strings.TrimPrefix(in.token("client-1", 0), "file:")))
	start(t, agentArgs(t, rpc, filepath.Join(t.TempDir(), "identity"), "--join", "env:JOIN_OF_TEST")...).logs(`msg=connected .*agent=client-1`)
	_, set := os.LookupEnv("JOIN_OF_TEST")
	require.False(t, set, "commands that the agent starts do not inherit the token")
}

// TestWhatKeepsAnAgentFromJoining lists errors that end an agent at once, each with its cure.
func TestWhatKeepsAnAgentFromJoining(t *testing.T) {
	t.Parallel()
	in, other := install(t), install(t)
	coordinator, rpc := in.serve()
	used := in.token("client-1", 0)
	joined := filepath.Join(t.TempDir(), "identity")
	start(t, agentArgs(t, rpc, joined, "--join", used)...).logs(`msg=connected`)
	plain := start(t, "coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", t.TempDir()).logs(`coordinator listens.* grpc=(\S+) http`)[0]
	closed := in.flags("127.0.0.1:0")
	closed[6] = t.TempDir()
	without := start(t, append(closed[:7], closed[9:]...)...).logs(`coordinator listens.* grpc=(\S+) http`)[0]
	open := t.TempDir()
	require.NoError(t, os.Chmod(open, 0o777))
	alone := filepath.Join(t.TempDir(), "pair")
	require.NoError(t, os.MkdirAll(alone, 0o700))
	pair := certstest.NewCA(t)
	pair.Identify(t, identity.Agent, "client-1").Write(t, alone, pair)

	fresh := func() string { return filepath.Join(t.TempDir(), "identity") }
	for name, test := range map[string]struct {
		at, folder string
		more       []string
		problem    string
	}{
		"used twice":             {rpc, fresh(), []string{"--join", used}, "the join token of client-1 was used already by another key: make another one with `benchd pki token --name client-1`"},
		"expired":                {rpc, fresh(), []string{"--join", in.token("client-2", 2*time.Hour)}, "the join token of client-2 expired on "},
		"another name":           {rpc, fresh(), []string{"--join", in.token("client-2", 0), "--name", "client-3"}, "--name client-3: the join token is for agent client-2: remove --name, or make a token with `benchd pki token --name client-3`"},
		"another authority":      {rpc, fresh(), []string{"--join", other.token("client-2", 0)}, "the coordinator's authority is not the one that made the join token"},
		"not a token":            {rpc, fresh(), []string{"--join", "xyzzy"}, "--join: invalid join token: want the line that `benchd pki token` prints"},
		"no file":                {rpc, fresh(), []string{"--join", "file:/none/token"}, "--join: read the join token: open /none/token: no such file"},
		"no variable":            {rpc, fresh(), []string{"--join", "env:NONE_OF_TEST"}, `the variable "NONE_OF_TEST" of env:NAME is not set`},
		"no token":               {rpc, fresh(), nil, "has no certificate: make a token with `benchd pki token --name NAME` on the coordinator's machine, and start the agent with --join"},
		"no identity":            {rpc, "", []string{"--join", used}, "--identity is missing: give the directory"},
		"two certificates":       {rpc, fresh(), []string{"--tls-ca", "ca.crt"}, "give one or the other"},
		"no TLS":                 {plain, fresh(), []string{"--join", in.token("client-2", 0)}, "it does not use TLS: start it with --tls-cert, --tls-key, --tls-ca and --enroll"},
		"no enrolment":           {without, fresh(), []string{"--join", in.token("client-2", 0)}, "this coordinator issues no certificates: start it with --enroll DIR"},
		"a socket":               {"unix:/none", fresh(), []string{"--join", in.token("client-2", 0)}, "an agent joins over TLS: give the HOST:PORT"},
		"another host":           {"localhost" + strings.TrimPrefix(rpc, "127.0.0.1"), fresh(), []string{"--join", in.token("client-2", 0)}, "its certificate is for 127.0.0.1 only: connect to one of these"},
		"a folder of all":        {rpc, open, []string{"--join", in.token("client-2", 0)}, "other users may write to the directory (mode 0777): run chmod go-w"},
		"another agent's folder": {rpc, joined, []string{"--join", in.token("client-2", 0)}, "has the certificate of agent client-1, and the join token is for agent client-2: give each agent a directory of its own"},
		"another name later":     {rpc, joined, []string{"--name", "client-2"}, "is that of agent client-1: remove --name, or give the certificate of agent client-2"},
		"another installation":   {rpc, alone, []string{"--join", in.token("client-1", 0)}, "of another installation than that of the join token: delete the directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), tolerance.Patience)
			defer cancel()
			err := program().Run(ctx, agentArgs(t, test.at, test.folder, test.more...), cli.Streams{Out: io.Discard, Err: io.Discard})
			require.ErrorContains(t, err, test.problem)
			require.Equal(t, cli.Usage, cli.CodeOf(err), "a service is not started again: %v", err)
		})
	}
	require.NotContains(t, coordinator.log(), "agent=client-2")
}

func TestTheAuditLogHasAgentsThatJoin(t *testing.T) {
	t.Parallel()
	in := install(t)
	_, rpc := in.serve()
	token := in.token("client-1", 0)
	start(t, agentArgs(t, rpc, filepath.Join(t.TempDir(), "identity"), "--join", token)...).logs(`msg=connected`)
	err := program().Run(t.Context(), agentArgs(t, rpc, filepath.Join(t.TempDir(), "identity"), "--join", token), cli.Streams{Out: io.Discard, Err: io.Discard})
	require.ErrorContains(t, err, "was used already")
	log := read(t, in.data, "audit.jsonl")
	require.Regexp(t, `"role":"anonymous","from":"127.0.0.1:\d+","call":"Enroll","details":{"agent":"client-1","issued":"[0-9a-f]+"},"outcome":"done"}`, log)
	require.Regexp(t, `"role":"anonymous","from":"127.0.0.1:\d+","call":"Enroll","details":{"agent":"client-1"},"outcome":"refused","reason":"the join token of client-1 was used already`, log)
}

// TestACoordinatorChecksThatAgentsCanJoin checks --enroll.
func TestACoordinatorChecksThatAgentsCanJoin(t *testing.T) {
	t.Parallel()
	in, other := install(t), install(t)
	leaf := t.TempDir()
	text := read(t, in.dir, pki.CertFile)
	end := strings.Index(text, "-----END CERTIFICATE-----\n") + len("-----END CERTIFICATE-----\n")
	for _, name := range []string{pki.KeyFile, pki.RootFile} {
		require.NoError(t, os.WriteFile(filepath.Join(leaf, name), []byte(read(t, in.dir, name)), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(leaf, pki.CertFile), []byte(text[:end]), 0o600))
	for name, test := range map[string]struct {
		args    []string
		problem string
	}{
		"no TLS":                         {[]string{"--enroll", in.dir}, "agents join over TLS only: give --tls-cert, --tls-key and --tls-ca"},
		"no directory":                   {append(tlsFlags(enroll.Folder(in.dir).Files()), "--enroll", "/none"), "give a directory with agents.crt, agents.key and ca.crt, such as that of `benchd pki issue coordinator`"},
		"another authority":              {append(tlsFlags(enroll.Folder(in.dir).Files()), "--enroll", other.dir), "the coordinator would refuse the agents that join"},
		"a certificate without its root": {append(tlsFlags(enroll.Folder(leaf).Files()), "--enroll", in.dir), "agents compare it with their tokens; append it to the file"},
	} {
		args := append([]string{"coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", t.TempDir()}, test.args...)
		err := program().Run(t.Context(), args, cli.Streams{Out: io.Discard, Err: io.Discard})
		require.ErrorContains(t, err, test.problem, name)
		require.Equal(t, cli.Usage, cli.CodeOf(err), name)
	}
}

func TestAnAgentWaitsForItsCoordinator(t *testing.T) {
	t.Parallel()
	in := install(t)
	address := unused(t)
	args := agentArgs(t, address, filepath.Join(t.TempDir(), "identity"), "--join", in.token("client-1", 0))
	waiting := start(t, args...)
	waiting.logs(`cannot join yet.* error="connection refused"`)
	require.NoError(t, waiting.stop(), "a signal ends it")
	waiting = start(t, args...)
	waiting.logs(`cannot join yet`)
	start(t, in.flags(address)...)
	waiting.logs(`msg=connected`)
}

func TestAnAgentThatJoinedIsRevokedByItsName(t *testing.T) {
	t.Parallel()
	in := install(t)
	coordinator, rpc := in.serve()
	folder := filepath.Join(t.TempDir(), "identity")
	one := start(t, agentArgs(t, rpc, folder, "--join", in.token("client-1", 0))...)
	two := start(t, agentArgs(t, rpc, filepath.Join(t.TempDir(), "identity"), "--join", in.token("client-2", 0))...)
	one.logs(`msg=connected`)
	two.logs(`msg=connected`)
	late := in.token("client-1", 0)
	_, err := in.Revoke("client-1", "stolen")
	require.NoError(t, err)
	list := read(t, in.Dir(), pki.RevokedFile)
	require.NoError(t, os.WriteFile(filepath.Join(in.dir, pki.RevokedFile), []byte(list), 0o600))
	coordinator.logs(`certificate is revoked.* serial=agent/client-1`)
	one.logs(`the coordinator refuses this agent.* error="the certificate has been revoked`)
	one.logs(`cannot reach the coordinator`) // whose handshake refuses it
	require.NotContains(t, two.log(), "lost the connection")
	err = program().Run(t.Context(), agentArgs(t, rpc, filepath.Join(t.TempDir(), "identity"), "--join", late), cli.Streams{Out: io.Discard, Err: io.Discard})
	require.ErrorContains(t, err, "agent client-1 was revoked with all certificates that it will ever have: make a token for another name")
}
