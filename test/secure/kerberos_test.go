//go:build secure

package secure

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// The realm of scripts/hbase, and its principal of the servers.
const (
	realm   = "BENCHD.TEST"
	servers = "hbase/_HOST@" + realm
)

// As for TLS: each mistake is one clear error that names the cure.
func TestMistakesWithKerberos(t *testing.T) {
	c, open := share(t, "kerberos"), share(t, "tls")
	tls := []string{"--target-tls-cert", c.file("client", "client.pem"), "--target-tls-ca", c.file("client", "ca.pem")}
	as := func(principal, keytab string) []string {
		return slices.Concat(c.realm(), tls, []string{"--kerberos-principal", principal + "@" + realm, "--kerberos-keytab", keytab})
	}
	alice := as("alice", c.file("client", "alice.keytab"))
	named := func(principal string) []string {
		return property("hbase.master.kerberos.principal", principal+"@"+realm, "hbase.regionserver.kerberos.principal", principal+"@"+realm)
	}
	report(t, []mistake{
		{"an old key", "kerberos", nil, as("alice", c.file("kdc", "old.keytab")), `old\.keytab has no valid key of alice@BENCHD\.TEST: get a new keytab`},
		{"a keytab of another", "kerberos", nil, as("alice", c.file("kdc", "bob.keytab")), `bob\.keytab has no AES key of alice@BENCHD\.TEST: correct --kerberos-principal`},
		{"a principal that the KDC does not know", "kerberos", nil, as("nobody", unknown(t, c)), `does not know the principal nobody@BENCHD\.TEST: correct --kerberos-principal`},
		{"an expired ticket", "kerberos", nil, slices.Concat(c.realm(), tls, []string{"--kerberos-cache", expired(t, c)}), `has expired: run kinit for alice@BENCHD\.TEST`},
		{"a clock that is 10 minutes off", "kerberos", nil, slices.Concat(tls, []string{"--krb5-conf", ahead(t, c), "--kerberos-principal", "alice@" + realm, "--kerberos-keytab", c.file("client", "alice.keytab")}), `clocks of this machine and of the KDC differ.*set them by NTP`},
		{"no KDC", "kerberos", nil, slices.Concat(tls, []string{"--kerberos-realm", realm, "--kerberos-kdc", "127.0.0.1:" + testcluster.Port(t), "--kerberos-principal", "alice@" + realm, "--kerberos-keytab", c.file("client", "alice.keytab")}), `no KDC of the realm BENCHD\.TEST answers: correct its address`},
		{"a principal of the servers that the KDC does not know", "kerberos", named("other/_HOST"), alice, `does not know the principal other/localhost of the service: correct the server's principal`},
		{"a principal of other servers", "kerberos", named("HTTP/_HOST"), alice, `the server refuses the ticket.*its principal in the settings is not its own`},
		{"a client without Kerberos", "kerberos", property("hbase.security.authentication", "simple"), tls, `requires Kerberos: set hbase\.security\.authentication=kerberos`},
		{
			"servers without Kerberos", "tls", slices.Concat(property("hbase.security.authentication", "kerberos"), named("hbase/_HOST")),
			slices.Concat(c.realm(), []string{"--target-tls-cert", open.file("client", "client.pem"), "--target-tls-ca", open.file("client", "ca.pem"), "--kerberos-principal", "alice@" + realm, "--kerberos-keytab", c.file("client", "alice.keytab")}),
			`the server has no Kerberos: set hbase\.security\.authentication=simple`,
		},
	})
}

// tool runs a program of Kerberos, and returns what it prints.
func tool(t *testing.T, conf, input, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stdin = strings.NewReader(input)
	cmd.Env = append(os.Environ(), "KRB5_CONFIG="+conf)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// unknown returns a keytab of a principal that the KDC does not know.
func unknown(t *testing.T, c *cluster) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nobody.keytab")
	out, err := tool(t, c.realm()[1], "add_entry -password -p nobody@"+realm+" -k 1 -e aes256-cts-hmac-sha1-96\nwrong\nwrite_kt "+path+"\n", "ktutil")
	require.NoError(t, err, out)
	require.FileExists(t, path)
	return path
}

// expired returns a credential cache whose tickets were good for a second.
func expired(t *testing.T, c *cluster) string {
	t.Helper()
	cache := filepath.Join(t.TempDir(), "cache")
	out, err := tool(t, c.realm()[1], "", "kinit", "-l", "1s", "-c", "FILE:"+cache, "-k", "-t", c.file("client", "alice.keytab"), "alice")
	require.NoError(t, err, out)
	testcluster.Eventually(t, testcluster.Patience, func() bool {
		_, err := tool(t, c.realm()[1], "", "klist", "-s", "-c", "FILE:"+cache)
		return err != nil
	}, "the ticket should expire")
	return cache
}

// ahead starts a second KDC of the realm, whose clock is 10 minutes ahead, and returns the client's configuration of it. A program in Go
// takes no other clock.
func ahead(t *testing.T, c *cluster) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), filepath.Join(testcluster.Root(), "scripts", "need"), "faketime", "faketime").CombinedOutput()
	require.NoError(t, err, "%s", out)
	dir, port := t.TempDir(), testcluster.Port(t)
	moved := func(from string) string {
		content, err := os.ReadFile(from)
		require.NoError(t, err)
		lines := strings.Split(string(content), "\n")
		for i, line := range lines {
			name, _, _ := strings.Cut(line, "=")
			if slices.Contains([]string{"kdc", "kdc_listen", "kdc_tcp_listen"}, strings.TrimSpace(name)) && strings.Contains(line, "127.0.0.1") {
				lines[i] = name + "= 127.0.0.1:" + port
			}
		}
		path := filepath.Join(dir, filepath.Base(from))
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
		return path
	}
	conf, profile := moved(c.realm()[1]), moved(c.file("kdc", "kdc.conf"))
	kdc, err := exec.LookPath("krb5kdc")
	if err != nil {
		kdc = "/usr/sbin/krb5kdc"
	}
	cmd := exec.Command("faketime", "-f", "+10m", kdc, "-n") //nolint:noctx // the cleanup ends it
	cmd.Env = append(os.Environ(), "KRB5_CONFIG="+conf, "KRB5_KDC_PROFILE="+profile)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // faketime starts the KDC as its child
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
		_ = cmd.Wait()
	})
	testcluster.Eventually(t, testcluster.Patience, func() bool { // kinit sets its clock by the KDC's
		_, err := tool(t, conf, "", "kinit", "-c", "FILE:"+filepath.Join(dir, "cache"), "-k", "-t", c.file("client", "alice.keytab"), "alice")
		return err == nil
	}, "the second KDC should answer")
	return conf
}
