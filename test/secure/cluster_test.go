//go:build secure

package secure

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// soon bounds a command that does some work.
const soon = 5 * time.Minute

// cluster is a real HBase in a folder.
type cluster struct {
	dir    string
	quorum string
}

// kinds are the clusters by name, and the options with which scripts/hbase starts them.
var kinds = map[string][]string{
	"tls": {"--secure", "tls-only", "--servers", "3", "--heap", "512m"},
	// The client's tickets expire during the tests. The servers encrypt with AES for clients that ask for it.
	"kerberos": {
		"--secure", "kerberos,tls,spnego,https", "--servers", "3", "--heap", "512m", "--ticket-life", fmt.Sprintf("%ds", int(ticketLife().Seconds())),
		"--set", "hbase.rpc.crypto.encryption.aes.enabled=true",
	},
}

// started holds the running clusters, by name.
var started = map[string]*cluster{}

// script is the script that starts and controls real HBases.
func script() string { return filepath.Join(testcluster.Root(), "scripts", "hbase") }

// share returns the cluster of a kind, which other tests use, too.
func share(t *testing.T, kind string) *cluster {
	t.Helper()
	if started[kind] == nil {
		begin := time.Now()
		c := &cluster{dir: filepath.Join(testcluster.Root(), "bin", "hbase", fmt.Sprintf("test-%d-%s", os.Getpid(), kind))}
		started[kind] = c // to be stopped, even if it fails to start
		stdout, stderr, code := testcluster.Command(t, soon, script(), slices.Concat([]string{"up", "--free-ports", "--wait", "240", "--dir", c.dir}, kinds[kind])...)
		require.Zero(t, code, "the %s cluster should start: %s", kind, stderr)
		_, c.quorum, _ = strings.Cut(strings.TrimSpace(stdout), "=")
		t.Logf("the %s cluster is up after %.1f s", kind, time.Since(begin).Seconds())
	}
	require.NotEmpty(t, started[kind].quorum, "the %s cluster did not start", kind)
	return started[kind]
}

// stop ends the cluster and removes its files.
func (c *cluster) stop() {
	if out, err := exec.CommandContext(context.Background(), script(), "down", "--purge", "--dir", c.dir).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "stop HBase in %s: %v: %s\n", c.dir, err, out)
	}
}

// file is the path of a file of the cluster.
func (c *cluster) file(parts ...string) string {
	return filepath.Join(append([]string{c.dir}, parts...)...)
}

// client returns the flags of an agent's credentials: those of the client's folder.
func (c *cluster) client() []string {
	return append([]string{"--hbase-conf", c.file("client")}, c.realm()...)
}

// realm returns the flags of the cluster's KDC, if it has one.
func (c *cluster) realm() []string {
	conf := c.file("client", "krb5.conf")
	if _, err := os.Stat(conf); err != nil {
		return nil
	}
	return []string{"--krb5-conf", conf}
}

// property makes property flags.
func property(pairs ...any) []string {
	var args []string
	for i := 0; i < len(pairs); i += 2 {
		args = append(args, "-p", fmt.Sprintf("%v=%v", pairs[i], pairs[i+1]))
	}
	return args
}
