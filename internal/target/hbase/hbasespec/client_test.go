package hbasespec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/spec"
)

// withGohbase is a case that gohbase executes.
func withGohbase(pairs ...string) spec.Submission {
	return spec.Submission{Properties: p(append([]string{
		"db", "hbase", "columnfamily", "cf", "recordcount", "10", "operationcount", "10", "readproportion", "0.5", "updateproportion", "0.5", "hbase.client", "gohbase",
	}, pairs...)...)}
}

// warnings are those of a case that gohbase executes.
func warnings(t *testing.T, pairs ...string) (texts []string) {
	t.Helper()
	_, all, err := reader().Parse(withGohbase(pairs...))
	require.NoError(t, err)
	for _, w := range all {
		texts = append(texts, w.String())
	}
	return texts
}

// What gohbase cannot do is refused before anything runs, with what to set instead.
func TestGohbaseIsRefusedWhatItCannotDo(t *testing.T) {
	for name, test := range map[string]struct {
		pairs []string
		want  string
	}{
		"a buffer":     {[]string{"clientbuffering", "true"}, "-p: clientbuffering: buffers writes, which hbase.client=gohbase does not have; set gohbase.rpcQueueSize instead, or use hbase.client=native"},
		"our batching": {[]string{"hbase.batch.size", "8"}, "-p: hbase.batch.size: is batching of the native client, which hbase.client=gohbase does not have; set gohbase.rpcQueueSize instead, or use hbase.client=native"},
		"rows at once": {[]string{"batchsize", "8"}, "-p: batchsize: writes several rows in one request, which hbase.client=gohbase does not have; remove it, or use hbase.client=native"},
		"a multi-get":  {[]string{"multigetproportion", "0.1"}, "-p: multigetproportion: reads several rows in one request, which hbase.client=gohbase does not have; remove it, or use hbase.client=native"},
		"TLS":          {[]string{tlsKey, "true"}, "-p: hbase.client.netty.tls.enabled: needs TLS, which hbase.client=gohbase does not have; use hbase.client=native"},
		"a registry": {
			[]string{registryKey, RegistryRPC, bootstrapKey, "rs1:16020"},
			"-p: hbase.client.registry.impl: asks HBase's own servers in place of ZooKeeper, which hbase.client=gohbase does not have; use hbase.client=native",
		},
		"Kerberos": {
			[]string{authenticationKey, kerberos, masterPrincipalKey, "h/_HOST@A", serverPrincipalKey, "h/_HOST@A"},
			"-p: hbase.security.authentication: needs Kerberos, which hbase.client=gohbase does not have; use hbase.client=native",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := reader().Parse(withGohbase(test.pairs...))
			require.EqualError(t, err, test.want)
		})
	}
	_, _, err := reader().Parse(withGohbase("gohbase.rpcQueueSize", "100", "hbase.client.rpc.compressor", "snappy", "hbase.connections", "4", "checkandputproportion", "0.1"))
	require.NoError(t, err)
}

func TestGohbasesCountersAreNotExact(t *testing.T) {
	require.Contains(t, warnings(t, "incrementproportion", "0.1"), "-p: incrementproportion: with hbase.client=gohbase, which sends it again without a nonce: when an answer is lost, it may take effect twice; hbase.client=native is exact")
	require.NotContains(t, strings.Join(warnings(t), "\n"), "nonce")
}

func TestOptionsOfGohbaseWithoutEffect(t *testing.T) {
	require.Equal(t, []string{
		`-p: hbase.client: is overridden by the later value "native" (-p)`,
		"-p: gohbase.rpcQueueSize: has no effect without hbase.client=gohbase", "-p: gohbase.flushInterval: has no effect without hbase.client=gohbase",
	}, warnings(t, "gohbase.rpcQueueSize", "8", "gohbase.flushInterval", "5ms", "hbase.client", "native"))
	require.Equal(t, []string{"-p: gohbase.flushInterval: has no effect without gohbase.rpcQueueSize above 1"}, warnings(t, "gohbase.flushInterval", "5ms"))
}
