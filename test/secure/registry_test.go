//go:build secure

package secure

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// setting is a property of a configuration of Hadoop, on a line of its own.
func setting(name string) *regexp.Regexp {
	return regexp.MustCompile(`<property><name>` + regexp.QuoteMeta(name) + `</name><value>([^<]*)</value></property>`)
}

// port returns a port in the configuration of the servers.
func (c *cluster) port(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(c.file("conf", "hbase-site.xml"))
	require.NoError(t, err)
	found := setting(name).FindSubmatch(content)
	require.NotNil(t, found, "the configuration of the servers has %s", name)
	return string(found[1])
}

// withoutZooKeeper returns a copy of the client's folder that names a region server, and one that is down, in place of ZooKeeper.
func withoutZooKeeper(t *testing.T, c *cluster) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"core-site.xml", "hbase-site.xml"} {
		content, err := os.ReadFile(c.file("client", name))
		require.NoError(t, err)
		text := string(content)
		if name == "hbase-site.xml" {
			for _, gone := range []string{"hbase.zookeeper.quorum", "hbase.zookeeper.property.clientPort"} {
				require.Regexp(t, setting(gone), text)
				text = setting(gone).ReplaceAllString(text, "")
			}
			text = strings.Replace(text, "</configuration>", fmt.Sprintf(`
				<property><name>hbase.client.registry.impl</name><value>org.apache.hadoop.hbase.client.RpcConnectionRegistry</value></property>
				<property><name>hbase.client.bootstrap.servers</name><value>localhost:%s, localhost:%s</value></property>
			</configuration>`, testcluster.Port(t), c.port(t, "hbase.regionserver.port")), 1)
		}
		require.NotContains(t, text, "zookeeper")
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// As for TLS: each mistake is one clear error that names the property and the cure.
func TestMistakesWithTheRegistry(t *testing.T) {
	c := share(t, "kerberos")
	alice := slices.Concat(c.realm(), []string{
		"--target-tls-cert", c.file("client", "client.pem"), "--target-tls-ca", c.file("client", "ca.pem"),
		"--kerberos-principal", "alice@" + realm, "--kerberos-keytab", c.file("client", "alice.keytab"),
	})
	bootstrap := func(server string) []string {
		return property("hbase.client.registry.impl", "RpcConnectionRegistry", "hbase.client.bootstrap.servers", server)
	}
	master, down := "localhost:"+c.port(t, "hbase.master.port"), "localhost:"+testcluster.Port(t)
	report(t, []mistake{
		{"a server that is down", "kerberos", bootstrap(down), alice, `no server of hbase\.client\.bootstrap\.servers=` + down + ` answers .*connection refused.*is HBase running there`},
		{"the port of ZooKeeper", "kerberos", bootstrap(c.quorum), alice, `no server of hbase\.client\.bootstrap\.servers=` + c.quorum + ` answers .*is each port that of a master`},
		{
			"a principal of none of the servers", "kerberos",
			slices.Concat(bootstrap(master), property("hbase.master.kerberos.principal", "HTTP/_HOST@"+realm, "hbase.regionserver.kerberos.principal", "alice/_HOST@"+realm)), alice,
			`ask the servers of hbase\.client\.bootstrap\.servers=.*its principal in the settings is not its own.*and before: .*does not know the principal alice/localhost of the service`,
		},
		// The registry is found with the other principal, after a connection that the server has refused.
		{
			"a principal of other masters", "kerberos",
			slices.Concat(property("hbase.client.registry.impl", "MasterRegistry", "hbase.masters", master), property("hbase.master.kerberos.principal", "HTTP/_HOST@"+realm)), alice,
			`connect to HBase master localhost:\d+, as HBase's RPC registry and hbase:meta name it.*as HTTP/localhost: the server refuses the ticket`,
		},
	})
}
