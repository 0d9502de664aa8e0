package hbasespec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/spec"
)

func secured(extra ...string) []spec.Setting {
	return p(append([]string{"db", "hbase", "columnfamily", "cf", "recordcount", "10", "operationcount", "1"}, extra...)...)
}

// principals are what a cluster with Kerberos needs.
func principals(extra ...string) []spec.Setting {
	return secured(append([]string{
		authenticationKey, "Kerberos", masterPrincipalKey, "hm/_HOST@EXAMPLE.COM", serverPrincipalKey, "hr/_HOST@EXAMPLE.COM",
	}, extra...)...)
}

func TestSettingsOfSecurityAreRead(t *testing.T) {
	suite, warnings, err := reader().Parse(spec.Submission{Properties: principals(
		protectionKey, "PRIVACY, integrity,privacy", aesKey, "true", noReverseKey, "true", fallbackKey, "true",
		tlsKey, "true", protocolsKey, "TLSv1.3", zooKeeperTLSKey, "true", httpsKey, "true", spnegoKey, "kerberos",
	)})
	require.NoError(t, err)
	require.Empty(t, warnings)
	s, err := Read(suite.Cases[0].Properties)
	require.NoError(t, err)
	require.Equal(t, Security{
		Kerberos: true, Protections: []string{"privacy", "integrity"}, Master: "hm/_HOST@EXAMPLE.COM", Region: "hr/_HOST@EXAMPLE.COM", AES: true, Fallback: true,
		TLS: true, VerifyHost: true, TLS13: true, ZooKeeperTLS: true, HTTPS: true, SPNEGO: true,
	}, s.Security)

	suite, _, err = reader().Parse(spec.Submission{Properties: secured()})
	require.NoError(t, err)
	s, err = Read(suite.Cases[0].Properties)
	require.NoError(t, err)
	require.Equal(t, Security{Protections: []string{"authentication"}, ReverseDNS: true, VerifyHost: true, TLS12: true, TLS13: true}, s.Security)
	require.False(t, s.Security.Tickets())
	require.False(t, s.Security.Certificates())
}

func TestSettingsOfSecurityThatDoNotFitTogether(t *testing.T) {
	for name, test := range map[string]struct {
		properties []spec.Setting
		want       string
	}{
		"no principal":              {secured(authenticationKey, "kerberos", masterPrincipalKey, "hm/_HOST@A"), "hbase.security.authentication: kerberos needs hbase.regionserver.kerberos.principal"},
		"privacy without Kerberos":  {secured(protectionKey, "privacy"), "hbase.rpc.protection: privacy needs hbase.security.authentication=kerberos: without it nothing is signed or encrypted"},
		"AES without Kerberos":      {secured(aesKey, "true"), "hbase.rpc.crypto.encryption.aes.enabled: needs hbase.security.authentication=kerberos and hbase.rpc.protection=privacy"},
		"AES without privacy":       {principals(aesKey, "true", protectionKey, "integrity"), "hbase.rpc.crypto.encryption.aes.enabled: needs hbase.rpc.protection=privacy"},
		"another user":              {principals("hadoop.user.name", "me"), "hadoop.user.name: conflicts with hbase.security.authentication=kerberos"},
		"a keytab of the submitter": {principals("keytab", "/etc/me.keytab"), "keytab: is not supported: a keytab belongs to the machine of an agent and is never archived: give it to the agents with --kerberos-keytab"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := reader().Parse(spec.Submission{Properties: test.properties})
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "\n", "one error")
		})
	}
	_, _, err := reader().Parse(spec.Submission{Properties: append(principals(), p("db", "sandbox")...)})
	require.ErrorContains(t, err, "hbase.security.authentication: a sandbox has neither Kerberos nor TLS")
}

func TestSettingsOfSecurityWithoutEffect(t *testing.T) {
	_, warnings, err := reader().Parse(spec.Submission{Properties: secured(masterPrincipalKey, "hm/_HOST@A", verifyKey, "false", ignoredKey, "hbase.client.a,hbase.rpc.b")})
	require.NoError(t, err)
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	require.ElementsMatch(t, []string{
		"-p: hbase.master.kerberos.principal: has no effect without hbase.security.authentication=kerberos",
		"-p: hbase.client.netty.tls.verify.server.hostname: has no effect without hbase.client.netty.tls.enabled=true",
		"-p: hbase.conf.ignored: these settings of HBase's own client have no effect: hbase.client.a, hbase.rpc.b",
	}, texts)
}

const coreSite = `<configuration>
<property><name>hadoop.security.authentication</name><value>kerberos</value></property>
<property><name>realm</name><value>EXAMPLE.COM</value></property>
<property><name>hbase.rpc.timeout</name><value>5000</value><final>true</final></property>
<property><name>hbase.client.operation.timeout</name><value>7000</value></property>
</configuration>`

const hbaseSite = `<configuration>
<property><name>hbase.zookeeper.quorum</name><value>zk1</value></property>
<property><name>hbase.rpc.timeout</name><value>6000</value></property>
<property><name>hbase.client.operation.timeout</name><value>8000</value></property>
<property><name>hbase.master.kerberos.principal</name><value>hbase/_HOST@${realm}</value></property>
<property><name>hbase.rpc.tls.keystore.password</name><value>canary-5d1f</value></property>
<property><name>hbase.client.token.canary</name><value>canary-5d1f</value></property>
<property><name>hbase.security.authorization</name><value>true</value></property>
<property><name>hbase.regionserver.handler.count</name><value>30</value></property>
</configuration>`

// As in Hadoop, a later file decides, unless the earlier one has made a setting final.
func TestTheFilesOfAFolderAreMerged(t *testing.T) {
	files, err := ReadSites([]descriptor.SiteFile{{Name: "core-site.xml", Content: []byte(coreSite)}, {Name: "hbase-site.xml", Content: []byte(hbaseSite)}})
	require.NoError(t, err)
	require.Equal(t, "\n\n\nhbase.rpc.timeout=5000\n", string(files[0].Content))
	require.Equal(t, "\nhbase.zookeeper.quorum=zk1\n\nhbase.client.operation.timeout=8000\nhbase.master.kerberos.principal=hbase/_HOST@EXAMPLE.COM\n"+
		"hbase.conf.ignored=hadoop.security.authentication,hbase.client.token.canary\n", string(files[1].Content))

	files, err = ReadSites([]descriptor.SiteFile{
		{Name: "core-site.xml", Content: []byte(strings.ReplaceAll(coreSite, "kerberos", "simple"))}, {Name: "hbase-site.xml", Content: []byte(hbaseSite)},
	})
	require.NoError(t, err)
	require.NotContains(t, string(files[1].Content), "hadoop.security.authentication")

	_, err = ReadSites([]descriptor.SiteFile{{Name: "core-site.xml", Content: []byte("<html/>")}, {Name: "hbase-site.xml", Content: []byte(hbaseSite)}})
	require.EqualError(t, err, "core-site.xml: begins with <html>; want <configuration> with properties")
	_, err = ReadSites([]descriptor.SiteFile{{Name: "hbase-site.xml", Content: []byte(strings.ReplaceAll(hbaseSite, "${realm}", "${domain}"))}})
	require.ErrorContains(t, err, `hbase-site.xml: line 5: hbase.master.kerberos.principal is "hbase/_HOST@${domain}", which names a variable that these files do not set`)
}
