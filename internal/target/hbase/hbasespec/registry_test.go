package hbasespec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/spec"
)

// A client's configuration without ZooKeeper is enough to find a cluster.
func TestTheRegistryIsReadFromAClientsConfiguration(t *testing.T) {
	site := func(settings ...string) []byte {
		var text strings.Builder
		for i := 0; i < len(settings); i += 2 {
			text.WriteString("<property><name>" + settings[i] + "</name><value>" + settings[i+1] + "</value></property>\n")
		}
		return []byte("<configuration>\n" + text.String() + "</configuration>")
	}
	const class = "org.apache.hadoop.hbase.client."
	for name, test := range map[string]struct {
		site []byte
		want Registry
	}{
		"bootstrap servers": {site(registryKey, class+"RpcConnectionRegistry", bootstrapKey, "rs1:16020, [::1]:16020", mastersKey, "m1"), Registry{RegistryRPC, []string{"rs1:16020", "[::1]:16020"}, bootstrapKey, false}},
		"masters in place":  {site(registryKey, class+"RpcConnectionRegistry", mastersKey, "m1,m2:7000"), Registry{RegistryRPC, []string{"m1:16000", "m2:7000"}, mastersKey, false}},
		"masters":           {site(registryKey, "MasterRegistry", mastersKey, "m1,m2:7000", masterPortKey, "16001", bootstrapKey, "rs1:1"), Registry{RegistryMasters, []string{"m1:16001", "m2:7000"}, mastersKey, false}},
		"ZooKeeper":         {site(registryKey, class+"ZKConnectionRegistry", "hbase.zookeeper.quorum", "zk1"), Registry{Class: RegistryZooKeeper}},
		"an older version":  {site(registryKey, class+"ZKAsyncRegistry", "hbase.zookeeper.quorum", "zk1"), Registry{Class: RegistryZooKeeper}},
		"another one still": {site(registryKey, class+"ZooKeeperRegistry", "hbase.zookeeper.quorum", "zk1"), Registry{Class: RegistryZooKeeper}},
	} {
		t.Run(name, func(t *testing.T) {
			content, err := ReadSite(test.site)
			require.NoError(t, err)
			s := spec.Submission{Files: []spec.File{{Name: "hbase-site.xml", Content: content}}, Properties: p("db", "hbase", "columnfamily", "cf", "recordcount", "10", "operationcount", "1")}
			suite, _, err := reader().Parse(s)
			require.NoError(t, err)
			settings, err := Read(suite.Cases[0].Properties)
			require.NoError(t, err)
			require.Equal(t, test.want, settings.Registry)
		})
	}
}

func TestInvalidRegistries(t *testing.T) {
	for name, test := range map[string]struct {
		pairs []string
		want  string
	}{
		"a class of somebody":      {[]string{registryKey, "com.example.Registry"}, `hbase.client.registry.impl: unknown registry class "com.example.Registry": want RpcConnectionRegistry or MasterRegistry of HBase's client, or ZKConnectionRegistry for ZooKeeper`},
		"no servers":               {[]string{registryKey, RegistryRPC}, "hbase.client.registry.impl: RpcConnectionRegistry needs hbase.client.bootstrap.servers=HOST:PORT,… of some region servers or masters, or hbase.masters; take them from hbase-site.xml of the cluster's clients (--hbase-conf)"},
		"no masters":               {[]string{registryKey, RegistryMasters, bootstrapKey, "rs1:16020"}, "hbase.client.registry.impl: MasterRegistry needs hbase.masters=HOST[:PORT],… of the masters; take them from hbase-site.xml of the cluster's clients (--hbase-conf)"},
		"a mode of replicas":       {[]string{replicasKey, "LoadBalance"}, `hbase.locator.meta.replicas.mode: "LoadBalance", which spreads look-ups over the replicas of hbase:meta, is not supported: want HedgedRead, which reads them while the server of hbase:meta does not serve it, or None`},
		"a server without a port":  {[]string{registryKey, RegistryRPC, bootstrapKey, "rs1"}, `hbase.client.bootstrap.servers: invalid HBase server "rs1": want host:port, such as rs1:16020 for a region server, or port 16000 for a master`},
		"a port that is a word":    {[]string{registryKey, RegistryRPC, bootstrapKey, "rs1:x"}, `hbase.client.bootstrap.servers: invalid port in "rs1:x": want 1 to 65535`},
		"a master that is a path":  {[]string{registryKey, RegistryMasters, mastersKey, "m/1"}, `hbase.masters: invalid HBase master "m/1": want host or host:port, separated by commas`},
		"a comma too many":         {[]string{registryKey, RegistryMasters, mastersKey, "m1,"}, `hbase.masters: invalid HBase master "": want host or host:port, separated by commas`},
		"all servers of a cluster": {[]string{registryKey, RegistryMasters, mastersKey, strings.Repeat("m,", 100) + "m"}, "hbase.masters: has more than 100 servers; a few that are always there will do: a client asks them for others"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := reader().Parse(spec.Submission{Properties: p(append([]string{"db", "hbase", "columnfamily", "cf", "recordcount", "10", "operationcount", "1"}, test.pairs...)...)})
			require.EqualError(t, err, "-p: "+test.want)
		})
	}
}

// Servers that nobody asks, or an encrypted ZooKeeper that nobody asks, must not look as if they had an effect.
func TestARegistryThatIsNotAsked(t *testing.T) {
	_, warnings, err := reader().Parse(spec.Submission{Properties: p("db", "hbase", "columnfamily", "cf", "recordcount", "10", "operationcount", "1", bootstrapKey, "rs1:16020", mastersKey, "m1")})
	require.NoError(t, err)
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	require.Equal(t, []string{
		"-p: hbase.client.bootstrap.servers: has no effect without hbase.client.registry.impl=RpcConnectionRegistry",
		"-p: hbase.masters: has no effect without hbase.client.registry.impl=RpcConnectionRegistry or MasterRegistry",
	}, texts)
	settings, err := Read(map[string]string{registryKey: RegistryRPC, bootstrapKey: "rs1:16020", zooKeeperTLSKey: "true"})
	require.NoError(t, err)
	require.False(t, settings.Security.Certificates(), "no connection needs them")
	require.Equal(t, "hbase.client.bootstrap.servers=rs1:16020", settings.Where())
	require.Equal(t, map[string]string{registryKey: RegistryRPC}, settings.Registry.Facts())
	settings, err = Read(map[string]string{"hbase.zookeeper.quorum": "zk1", zooKeeperTLSKey: "true"})
	require.NoError(t, err)
	require.True(t, settings.Security.Certificates())
	require.Equal(t, "zk1:2181/hbase", settings.Where())
	require.Empty(t, settings.Registry.Facts())
}

func TestReplicasOfMetaAreReadIfAllowed(t *testing.T) {
	for _, test := range []struct {
		pairs  []string
		hedged bool
		warns  string
	}{
		{nil, false, ""},
		{[]string{replicasKey, "hedgedread"}, true, ""},
		{[]string{hedgedKey, "true"}, true, ""},
		{[]string{hedgedKey, "true", replicasKey, "None"}, true, ""}, // as HBase's client decides
		{[]string{hedgedKey, "true", replicasKey, "HedgedRead"}, true, "-p: hbase.meta.replicas.use: has no effect beside hbase.locator.meta.replicas.mode=HedgedRead, which is its newer name"},
	} {
		suite, warnings, err := reader().Parse(spec.Submission{Properties: p(append([]string{"db", "hbase", "columnfamily", "cf", "recordcount", "10", "operationcount", "1"}, test.pairs...)...)})
		require.NoError(t, err)
		settings, err := Read(suite.Cases[0].Properties)
		require.NoError(t, err)
		require.Equal(t, test.hedged, settings.Registry.Hedged, "%v", test.pairs)
		if test.warns == "" {
			require.Empty(t, warnings)
		} else {
			require.Equal(t, test.warns, warnings[0].String())
		}
	}
}
