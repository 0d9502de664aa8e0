package hbasespec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/spec"
)

// withBulkLoad is a case that loads HFiles.
func withBulkLoad(phase string, pairs ...string) spec.Submission {
	return spec.Submission{Properties: p(append([]string{
		"db", "hbase", "columnfamily", "cf", "recordcount", "10", "operationcount", "10", "phase", phase, "hbase.load.method", "bulkload",
	}, pairs...)...)}
}

func TestMistakesOfBulkLoads(t *testing.T) {
	for _, test := range []struct {
		phase, want string
		pairs       []string
	}{
		{"run", "hbase.load.method: a bulk load is a submission of its own, and this one has phase=run: load with --phase load, then run", []string{"hbase.bulkload.directory", "file:///x"}},
		{"load", "hbase.bulkload.directory: missing, and hbase.load.method=bulkload needs it", nil},
		{"load", `invalid namenode "nn1:8020": want SERVICE/HOST:PORT`, []string{"hbase.bulkload.directory", "hdfs://n/x", "hbase.bulkload.namenodes", "n/nn2:8020,nn1:8020"}},
		{"load", "invalid folder", []string{"hbase.bulkload.directory", "file://host/x"}},
		{"load", "clientbuffering: conflicts with hbase.load.method=bulkload", []string{"hbase.bulkload.directory", "file:///x", "clientbuffering", "true"}},
		{"load", "hbase.security.authentication: conflicts with hbase.load.method=bulkload", []string{"hbase.bulkload.directory", "file:///x", "hbase.security.authentication", "kerberos"}},
		{"load", "hbase.load.method: loads HFiles, which hbase.client=gohbase does not have; use hbase.client=native", []string{"hbase.bulkload.directory", "file:///x", "hbase.client", "gohbase"}},
	} {
		_, _, err := reader().Parse(withBulkLoad(test.phase, test.pairs...))
		require.ErrorContains(t, err, test.want)
	}
	for _, good := range []string{"file:///x/../y/", "hdfs://cluster/x"} {
		_, _, err := reader().Parse(withBulkLoad("load", "hbase.bulkload.directory", good))
		require.NoError(t, err)
	}
}

func TestFoldersOfHFiles(t *testing.T) {
	for _, test := range []struct {
		text, want string
		namenodes  []string
	}{
		{"file:///a/../b/", "file:///b", nil},
		{"hdfs://nn.example:9000/a b//c/", "hdfs://nn.example:9000/a b/c", []string{"nn.example:9000"}},
		{"hdfs://nn.example/", "hdfs://nn.example/", []string{"nn.example:8020"}},
		{"hdfs://cluster/x", "hdfs://cluster/x", []string{"nn1:9000", "nn2:8020"}},
		{"hdfs://[::1]:9000/x", "hdfs://[::1]:9000/x", []string{"[::1]:9000"}},
	} {
		s, err := Read(map[string]string{bulkKey: test.text, namenodesKey: "cluster/nn1:9000,other/nn3:9000,cluster/nn2"})
		require.NoError(t, err, test.text)
		require.Equal(t, test.want, s.Bulk.Folder.String())
		require.Equal(t, test.namenodes, s.Bulk.Namenodes)
	}
	for _, bad := range []string{
		"", "/x", "x", "file://host/x", "file:x", "hdfs:///x", "hdfs://", "hdfs://nn", "hdfs://nn:/x", "hdfs://nn:0/x", "hdfs://nn:port/x",
		"hdfs://alice@nn/x", "hdfs://nn/x?y", "hdfs://nn/x#y", "hdfs://nn/\x00", "s3a://bucket/x",
	} {
		_, err := ParseFolder(bad)
		require.ErrorContains(t, err, "invalid folder", bad)
	}
}

func TestAFolderBelowAnother(t *testing.T) {
	for _, test := range []struct {
		top, folder, way string
		ok               bool
	}{
		{"hdfs://nn:1/a", "hdfs://nn:1/a/b/c", "b/c", true},
		{"hdfs://nn:1/a", "hdfs://nn:1/a", ".", true},
		{"hdfs://nn:1/a", "hdfs://nn:1/ab", "", false},
		{"hdfs://nn:1/a", "hdfs://nn:1/a/../b", "", false},
		{"hdfs://nn:1/a", "hdfs://nn:2/a/b", "", false},
		{"hdfs://nn:1/a", "file:///a/b", "", false},
		{"file:///a", "hdfs://nn:1/a/b", "", false},
	} {
		top, err := ParseFolder(test.top)
		require.NoError(t, err)
		folder, err := ParseFolder(test.folder)
		require.NoError(t, err)
		way, ok := folder.Below(top)
		require.Equal(t, test.ok, ok, "%s below %s", test.folder, test.top)
		if ok {
			require.Equal(t, test.way, way)
		}
	}
}

func TestNamenodesOfAClientsConfiguration(t *testing.T) {
	const site = `<configuration>
<property><name>dfs.nameservices</name><value>cluster, plain,broken</value></property>
<property><name>dfs.ha.namenodes.cluster</name><value>nn1, nn2</value></property>
<property><name>dfs.namenode.rpc-address.cluster.nn1</name><value>${host}1:9000</value></property>
<property><name>dfs.namenode.rpc-address.cluster.nn2</name><value>${host}2:9000</value></property>
<property><name>dfs.namenode.rpc-address.plain</name><value>nn3</value></property>
<property><name>dfs.namenode.rpc-address.broken</name><value>${unknown}:1</value></property>
<property><name>dfs.client.use.datanode.hostname</name><value>true</value></property>
<property><name>host</name><value>nn</value></property></configuration>`
	const hbase = `<configuration><property><name>hbase.zookeeper.quorum</name><value>zk</value></property></configuration>`
	files, err := ReadSites([]descriptor.SiteFile{{Name: "hdfs-site.xml", Content: []byte(site)}, {Name: "hbase-site.xml", Content: []byte(hbase)}})
	require.NoError(t, err)
	require.Contains(t, string(files[0].Content), "dfs.client.use.datanode.hostname=true\n")
	require.Contains(t, string(files[1].Content), "hbase.bulkload.namenodes=cluster/nn1:9000,cluster/nn2:9000,plain/nn3\n")
	require.Equal(t, []string{"core-site.xml", "hdfs-site.xml", "hbase-site.xml"}, SiteFiles())
	files, err = ReadSites([]descriptor.SiteFile{{Name: "hbase-site.xml", Content: []byte(hbase)}})
	require.NoError(t, err)
	require.NotContains(t, string(files[0].Content), "namenodes")
}
