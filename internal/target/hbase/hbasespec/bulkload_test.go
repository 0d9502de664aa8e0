package hbasespec

import (
	"testing"

	"github.com/stretchr/testify/require"

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
		{"load", "benchd does not write to HDFS, only to a local or mounted file system that the region servers share: file:///PATH", []string{"hbase.bulkload.directory", "hdfs://n/x"}},
		{"load", "invalid folder", []string{"hbase.bulkload.directory", "file://host/x"}},
		{"load", "clientbuffering: conflicts with hbase.load.method=bulkload", []string{"hbase.bulkload.directory", "file:///x", "clientbuffering", "true"}},
		{"load", "hbase.security.authentication: conflicts with hbase.load.method=bulkload", []string{"hbase.bulkload.directory", "file:///x", "hbase.security.authentication", "kerberos"}},
		{"load", "hbase.load.method: loads HFiles, which hbase.client=gohbase does not have; use hbase.client=native", []string{"hbase.bulkload.directory", "file:///x", "hbase.client", "gohbase"}},
	} {
		_, _, err := reader().Parse(withBulkLoad(test.phase, test.pairs...))
		require.ErrorContains(t, err, test.want)
	}
	_, _, err := reader().Parse(withBulkLoad("load", "hbase.bulkload.directory", "file:///x/../y/"))
	require.NoError(t, err)
}
