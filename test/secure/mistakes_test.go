//go:build secure

package secure

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// mistake is one that a user makes.
type mistake struct {
	name    string
	cluster string
	set     []string // properties over those of the client's folder
	keys    []string // flags of credentials, in place of the client's folder
	says    string   // what each of the commands reports: the cause and the cure
}

// Each mistake is one clear error within 10 s that names the cure, in a run, an action and doctor.
func TestMistakesWithTLS(t *testing.T) {
	c := share(t, "tls")
	cert, ca := []string{"--target-tls-cert", c.file("client", "client.pem")}, []string{"--target-tls-ca", c.file("client", "ca.pem")}
	report(t, []mistake{
		{"an authority that did not issue the certificate", "tls", nil, slices.Concat(cert, []string{"--target-tls-ca", c.file("tls", "other-ca.pem")}), `(?s)unknown authority.*--target-tls-ca`},
		{"no authority", "tls", nil, cert, `(?s)unknown authority.*--target-tls-ca`},
		{"no certificate", "tls", nil, ca, `(?s)certificate.*--target-tls-cert`},
		{"no TLS", "tls", property("hbase.client.netty.tls.enabled", false), slices.Concat(cert, ca), `(?s)requires TLS.*--hbase-conf`},
	})
}

// report makes mistakes at the same time, because most of them only wait.
func report(t *testing.T, mistakes []mistake) {
	t.Helper()
	h := testcluster.New(t)
	for i, m := range mistakes {
		h.Agent(fmt.Sprint("a", i), m.keys...)
	}
	h.Connected(len(mistakes))
	t.Run("reported", func(t *testing.T) { // ends when all of its tests have
		for i, m := range mistakes {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				// The folder without its keys: the properties alone.
				base := slices.Concat(property(properties(share(t, m.cluster))...), m.set)
				t.Run("run", func(t *testing.T) {
					t.Parallel()
					begin := time.Now()
					stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", slices.Concat([]string{"run", "--db", "hbase", "-q"}, base, m.keys, property("recordcount", 10, "operationcount", 10))...)
					m.reported(t, stdout, stderr, code, time.Since(begin))
				})
				t.Run("admin", func(t *testing.T) {
					t.Parallel()
					begin := time.Now()
					stdout, stderr, code := h.Ctl(slices.Concat([]string{"admin", "hbase", "tables", "--agent", fmt.Sprint("a", i)}, base)...)
					m.reported(t, stdout, stderr, code, time.Since(begin))
				})
				t.Run("doctor", func(t *testing.T) {
					t.Parallel()
					begin := time.Now()
					stdout, stderr, code := testcluster.Run(t, time.Minute, "benchd", slices.Concat([]string{"doctor", "--db", "hbase", "--coordinator", h.Address}, base, m.keys)...)
					took := time.Since(begin)
					require.Contains(t, []int{1, 5}, code)
					require.Regexp(t, m.says, unwrapped(stdout), stderr)
					require.Less(t, took, 10*time.Second)
				})
			})
		}
	})
}

// reported checks what a command prints about the mistake.
func (m mistake) reported(t *testing.T, stdout, stderr string, code int, took time.Duration) {
	t.Helper()
	t.Logf("%.1f s, exit code %d: %s%s", took.Seconds(), code, stderr, stdout)
	require.Contains(t, []int{1, 5}, code)
	require.Regexp(t, m.says, stderr+stdout)
	require.Equal(t, 1, strings.Count("\n"+stderr, "\nbenchctl: "), "one error is printed")
	require.Less(t, took, 10*time.Second)
}

// unwrapped joins the lines of a table.
func unwrapped(table string) string { return strings.Join(strings.Fields(table), " ") }

// properties returns the properties of a client of the cluster, without its keys.
func properties(c *cluster) []any {
	all := []any{"columnfamily", "family", "hbase.zookeeper.quorum", c.quorum, "hbase.client.netty.tls.enabled", true}
	if c.realm() != nil {
		all = append(all, "hbase.security.authentication", "kerberos", "hbase.master.kerberos.principal", servers, "hbase.regionserver.kerberos.principal", servers)
	}
	return all
}
