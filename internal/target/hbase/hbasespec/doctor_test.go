package hbasespec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDoctorNamesTheClusterAndRegionsThatMove(t *testing.T) {
	f := examine(map[string]string{"hbase.version": "2.6.4", "hbase.servers": "3", "hbase.regions.in_transition": "0"})
	require.Equal(t, ", HBase 2.6.4 with 3 region servers", f.Found)
	require.Empty(t, f.Cure)
	f = examine(map[string]string{"hbase.regions.in_transition": "4"})
	require.Equal(t, ", 4 regions in transition", f.Found)
	require.Contains(t, f.Cure, "wait-for-quiet")
	f = examine(map[string]string{authenticationKey: kerberos, protectionKey: privacy, "hbase.tls": "TLS 1.3 TLS_AES_128_GCM_SHA256", ignoredKey: "hbase.client.a,hbase.rpc.b"})
	require.Equal(t, ", Kerberos with protection privacy, TLS 1.3 TLS_AES_128_GCM_SHA256; settings of HBase's own client without an effect: hbase.client.a, hbase.rpc.b", f.Found)
	require.Empty(t, examine(nil).Found)
}
