//go:build integration

package e2e

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"software.sslmate.com/src/go-pkcs12"

	"github.com/benchd/benchd/test/testcluster"
)

// The keys of the test. None of them may be found anywhere but in the files of the agent's operator.
const (
	keytabCanary   = "canary-keytab-2f6d90b4"
	passwordCanary = "canary-password-a17c3e58"
)

// keysOfAgent writes a keytab, and a certificate in PKCS#12 with its password, and returns the flags that give them to an agent.
func keysOfAgent(t *testing.T) []string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	store, err := pkcs12.Modern.Encode(key, cert, nil, passwordCanary)
	require.NoError(t, err)
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		return path
	}
	return []string{
		"--kerberos-keytab", file("agent.keytab", []byte(keytabCanary)), "--kerberos-principal", "anna@EXAMPLE.COM",
		"--target-tls-cert", file("agent.p12", store), "--target-tls-password-file", file("password", []byte(passwordCanary+"\n")),
		"--target-tls-ca", file("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
	}
}

// An agent that holds keys writes no core dumps, and what it stores and prints has neither the keys nor who they are for.
func TestKeysOfAnAgentStayWithIt(t *testing.T) {
	c := testcluster.New(t)
	spool := t.TempDir()
	a := c.Agent("a", append(keysOfAgent(t), "--spool", spool, "--log-level", "debug")...)
	c.Connected(1)
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", a.ID()))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^Max core file size +0 +0 `, string(limits))

	var printed []byte
	try := func(args ...string) (stdout, stderr string, code int) {
		stdout, stderr, code = c.Ctl(args...)
		printed = append(append(printed, stdout...), stderr...)
		return stdout, stderr, code
	}
	ctl := func(args ...string) string {
		stdout, stderr, code := try(args...)
		require.Zero(t, code, stderr)
		return stdout
	}
	ctl("submit", "--db", "null", "--duration", "1s", "-p", "recordcount=100", "--note", "stored-note", "--wait")
	id, _, _ := strings.Cut(strings.SplitAfterN(ctl("list", "-o", "json"), `"id": "`, 2)[1], `"`)
	ctl("show", id, "-o", "json")
	stdout, _, _ := try("doctor", "-o", "json")
	require.Contains(t, stdout, "verdict", "it may have findings about this machine")
	out := t.TempDir()
	ctl("export", id, "--out", filepath.Join(out, "suite.benchd"))
	ctl("report", id, "--out", out, "--format", "html,json,md")
	all := map[string][]byte{
		"the archive": testcluster.Stored(t, c.Dir), "the spool": append(testcluster.Stored(t, spool), ' '), "the coordinator's log": []byte(c.Coordinator.Log()), "the agent's log": []byte(a.Log()),
		"the output of benchctl": printed, "exports and reports": testcluster.Stored(t, out),
	}
	for where, content := range all {
		for _, one := range []string{keytabCanary, passwordCanary, "anna@EXAMPLE.COM", "agent.keytab"} {
			require.Falsef(t, bytes.Contains(content, []byte(one)), "%s contains %s", where, one)
		}
	}
	// The test of the test: what may be stored is found in the same places.
	for _, where := range []string{"the archive", "the output of benchctl", "exports and reports"} {
		require.True(t, bytes.Contains(all[where], []byte("stored-note")), where)
	}
	require.Contains(t, a.Log(), "Kerberos keytab, TLS certificate, TLS authorities")
}
