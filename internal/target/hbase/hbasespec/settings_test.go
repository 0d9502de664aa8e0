package hbasespec

import (
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/spec"
)

// reader knows HBase and the sandbox.
func reader() *spec.Reader { return spec.NewReader(Target(), Sandbox()) }

// p are settings of -p.
func p(pairs ...string) []spec.Setting {
	var settings []spec.Setting
	for i := 0; i < len(pairs); i += 2 {
		settings = append(settings, spec.Setting{Key: pairs[i], Value: pairs[i+1]})
	}
	return settings
}

// other returns a value that differs from the key's default.
func other(k property.Key) string {
	switch k.Kind {
	case property.Int:
		return "7"
	case property.Bool:
		return strconv.FormatBool(k.Default != "true")
	case property.Enum:
		return k.Values[len(k.Values)-1]
	case property.Duration:
		return "7s"
	case property.Float, property.Percent, property.Rate, property.Text, property.List, property.Secret:
	}
	return "other"
}

func TestEveryHonouredKeyOfHBaseReachesItsSettings(t *testing.T) {
	values := map[string]string{
		"hbase.zookeeper.quorum": "zk1", "zookeeper.znode.parent": "/other", "hbase.client.rpc.compressor": "snappy",
		"hbase.scanfiltervalue": "00ff", SplitKeys: "a,b", "hbase.table.create": "recreate", "hbase.client.operation.timeout": "70",
		"hbase.family.blocksize": "128", "hbase.rpc.timeout": "70", protectionKey: "privacy,integrity", protocolsKey: "TLSv1.3",
		masterPrincipalKey: "hm/_HOST@A", serverPrincipalKey: "hr/_HOST@A", bootstrapKey: "rs1:7",
		bulkKey: "file:///other", bulkBufferKey: "2048", namenodesKey: "cluster/nn1",
	}
	beside := map[string]map[string]string{ // what a property needs for an effect
		bootstrapKey: {registryKey: RegistryRPC}, mastersKey: {registryKey: RegistryMasters}, masterPortKey: {registryKey: RegistryRPC, mastersKey: "m"},
		namenodesKey: {bulkKey: "hdfs://cluster/x"},
	}
	for _, k := range keys() {
		if k.Status != "" || len(k.Values) == 1 || k.Name == "hbase.splits.file" {
			continue // the content of the file is used
		}
		t.Run(k.Name, func(t *testing.T) {
			value := values[k.Name]
			if value == "" {
				value = other(k)
			}
			set := maps.Clone(beside[k.Name])
			before, err := Read(set)
			require.NoError(t, err)
			if set == nil {
				set = make(map[string]string)
			}
			set[k.Name] = value
			after, err := Read(set)
			require.NoError(t, err)
			require.NotEqual(t, before, after)
		})
	}
}

func TestSettingsOfHBase(t *testing.T) {
	s, err := Read(map[string]string{
		"hbase.zookeeper.quorum": "zk1,zk2:2182,[::1],[::2]:2183", "hbase.zookeeper.property.clientPort": "2281", "zookeeper.znode.parent": "/hbase-secure",
		"table": "ns:t", "columnfamily": "cf", "hbase.client.operation.timeout": "1500", "durability": "SKIP_WAL",
		SplitKeys: `user2,user\x00,user1`, "hbase.family.ttl": "60",
	})
	require.NoError(t, err)
	require.Equal(t, []string{"zk1:2281", "zk2:2182", "[::1]:2281", "[::2]:2183"}, s.Quorum)
	require.Equal(t, []string{"ns", "t", "ns:t", "cf", "/hbase-secure"}, []string{s.Namespace, s.Table, s.FullTable(), s.Family.Name, s.Znode})
	require.Equal(t, 1500*time.Millisecond, s.Timeout)
	require.Equal(t, time.Minute, s.Family.TTL)
	require.Equal(t, [][]byte{[]byte("user\x00"), []byte("user1"), []byte("user2")}, s.Splits.Keys)
	require.Equal(t, descriptor.CreateNever, s.Create)

	s, err = Read(map[string]string{"phase": "load,run", "table": "default:t"})
	require.NoError(t, err)
	require.Equal(t, descriptor.CreateMissing, s.Create)
	require.Equal(t, "t", s.FullTable())
	require.Equal(t, []string{"127.0.0.1:2181"}, s.Quorum)
	require.Len(t, s.Scan.Value, 100)
	require.True(t, s.Scan.PageFilter)
	require.Equal(t, 1, s.BatchSize, "a batch that waits would make every operation slow")
}

func TestMistakesInSettingsOfHBase(t *testing.T) {
	for name, test := range map[string]struct {
		key, value, want string
	}{
		"a quorum's port":    {"hbase.zookeeper.quorum", "zk1:x", `invalid port in "zk1:x": want 1 to 65535`},
		"a quorum's chroot":  {"hbase.zookeeper.quorum", "zk1/hbase", `invalid ZooKeeper server "zk1/hbase": want host or host:port, separated by commas`},
		"a bare IPv6":        {"hbase.zookeeper.quorum", "::1", `invalid ZooKeeper server "::1": want host:port, with brackets around an IPv6 address`},
		"an empty server":    {"hbase.zookeeper.quorum", "a,,b", `invalid ZooKeeper server "": want host or host:port, separated by commas`},
		"a znode":            {"zookeeper.znode.parent", "hbase", `invalid znode "hbase": want a path such as /hbase`},
		"authentication":     {authenticationKey, "kerberso", `unknown value "kerberso"; did you mean "kerberos"? (one of simple, kerberos)`},
		"a protection":       {protectionKey, "integrity,secrecy", `unknown value "secrecy" (one of authentication, integrity, privacy)`},
		"a principal":        {serverPrincipalKey, "hbase@EXAMPLE.COM", `invalid principal "hbase@EXAMPLE.COM": want SERVICE/HOST@REALM, such as hbase/_HOST@EXAMPLE.COM`},
		"a version of TLS":   {protocolsKey, "TLSv1.1", `unknown value "TLSv1.1"; did you mean "TLSv1.2"? (one of TLSv1.2, TLSv1.3)`},
		"ignored settings":   {ignoredKey, "a b", "want names of settings, separated by commas: --hbase-conf and --hbase-site set it"},
		"another codec":      {"hbase.client.rpc.compressor", "org.apache.hadoop.io.compress.GzipCodec", `invalid codec "org.apache.hadoop.io.compress.GzipCodec": want snappy or none, which benchd's HBase client supports`},
		"a filter's value":   {"hbase.scanfiltervalue", "7ff", `"7ff" is not hexadecimal; write two digits for each byte, such as 7fff`},
		"a split twice":      {SplitKeys, "a,b,a", `has the split point "a" twice`},
		"an empty split":     {SplitKeys, "a,,b", "contains an empty split point; remove it"},
		"a split's escape":   {SplitKeys, `a\n`, `invalid escape in "a\\n": want bytes as \x00 and \ as \x5C`},
		"a table of HBase's": {"table", "hbase:meta", `invalid table name "hbase:meta": want a namespace other than hbase, which has HBase's own tables`},
		"a table's letters":  {"table", "a/b", `invalid table name "a/b": want letters, digits, _, - and ., after a namespace and a colon if any`},
		"no table":           {"table", "ns:", `invalid table name "ns:": want table or namespace:table`},
		"a family's column":  {"columnfamily", "cf:field0", `"cf:field0" contains a colon; write only the family: its columns are the names of the fields`},
		"a long family":      {"columnfamily", strings.Repeat("f", 200), "is 200 bytes long; a family in HBase has at most 127"},
	} {
		t.Run(name, func(t *testing.T) {
			properties := map[string]string{"db": "hbase", "columnfamily": "cf", "operationcount": "1", test.key: test.value}
			_, err := reader().Resolve(properties)
			require.EqualError(t, err, test.key+": "+test.want)
		})
	}
}

func TestSplitPointsComeFromAFile(t *testing.T) {
	s := spec.Submission{Properties: p("db", "hbase", "columnfamily", "cf", "recordcount", "10", "operationcount", "1", "hbase.splits.file", "points")}
	require.Equal(t, []string{"points"}, reader().Needs(s))
	_, _, err := reader().Parse(s)
	require.EqualError(t, err, `-p: hbase.splits.file: file "points" is not attached; does it exist on the machine that you submit from?`)

	s.Attachments = map[string][]byte{"points": []byte("user5\r\nuser\\xFF\n\nuser,1\n")}
	suite, _, err := reader().Parse(s)
	require.NoError(t, err)
	properties := suite.Cases[0].Properties
	require.Equal(t, `user\x2C1,user5,user\xFF`, properties[SplitKeys])
	_, err = reader().Resolve(properties)
	require.NoError(t, err, "agents have the list and need no file")

	s.Attachments["points"] = []byte("user5\nuser6\nuser5\n")
	_, _, err = reader().Parse(s)
	require.EqualError(t, err, `-p: hbase.splits.file: file "points": has the split point "user5" twice`)
}

func TestAListOfSplitPointsExcludesTheirNumber(t *testing.T) {
	_, _, err := reader().Parse(spec.Submission{Properties: p("db", "hbase", "columnfamily", "cf", "recordcount", "10", "operationcount", "1", "hbase.splits", "3", SplitKeys, "a")})
	require.EqualError(t, err, "-p: hbase.splits.list: conflicts with hbase.splits (-p); set only one of them")
}

const site = `<?xml version="1.0"?>
<configuration>
  <property><name>hbase.zookeeper.quorum</name><value> zk1,zk2 </value></property>
  <property>
    <name>zookeeper.znode.parent</name>
    <value>/hbase-unsecure</value>
    <final>true</final>
  </property>
  <property><name>ssl.client.keystore.password</name><value>secret</value></property>
  <property><name>hbase.security.authentication</name><value>kerberos</value></property>
</configuration>
`

func TestASiteFileSetsTheAddressOfHBase(t *testing.T) {
	f, err := ReadSite([]byte(site))
	require.NoError(t, err)
	require.NotContains(t, string(f), "secret")
	s := spec.Submission{Files: []spec.File{{Name: "conf/hbase-site.xml", Content: f}}, Properties: p("db", "hbase", "columnfamily", "cf", "recordcount", "10", "operationcount", "1", "zookeeper.znode.parent", "/mine")}
	_, _, err = reader().Parse(s)
	require.EqualError(t, err, "conf/hbase-site.xml:10: hbase.security.authentication: kerberos needs hbase.master.kerberos.principal: take it from hbase-site.xml of the cluster's clients (--hbase-conf), such as hbase/_HOST@EXAMPLE.COM\n"+
		"conf/hbase-site.xml:10: hbase.security.authentication: kerberos needs hbase.regionserver.kerberos.principal: take it from hbase-site.xml of the cluster's clients (--hbase-conf), such as hbase/_HOST@EXAMPLE.COM")

	f, err = ReadSite([]byte(strings.ReplaceAll(site, "kerberos", "simple")))
	require.NoError(t, err)
	s.Files[0].Content = f
	suite, _, err := reader().Parse(s)
	require.NoError(t, err)
	require.Equal(t, "zk1,zk2", suite.Cases[0].Properties["hbase.zookeeper.quorum"])
	require.Equal(t, "/mine", suite.Cases[0].Properties["zookeeper.znode.parent"], "-p wins")
	require.Equal(t, "hbase run", suite.Name, "the site file does not change the suite's name")
}

func TestInvalidSiteFiles(t *testing.T) {
	for name, test := range map[string]struct{ content, want string }{
		"empty":      {"", "is empty; want <configuration> with properties"},
		"HTML":       {"<html></html>", "begins with <html>; want <configuration> with properties"},
		"properties": {"a=b", "is empty; want <configuration> with properties"},
		"cut off":    {site[:200], "is not valid XML: XML syntax error on line 6: unexpected EOF"},
		"other":      {"<configuration><property><name>fs.defaultFS</name><value>hdfs://a</value></property></configuration>", "contains none of hbase.zookeeper.quorum, hbase.zookeeper.property.clientPort, zookeeper.znode.parent, hbase.client.bootstrap.servers, hbase.masters; is it the hbase-site.xml of an HBase client?"},
		"a variable": {"<configuration>\n<property><name>hbase.zookeeper.quorum</name><value>${host}</value></property></configuration>", `line 2: hbase.zookeeper.quorum is "${host}", which names a variable that these files do not set; set it with -p hbase.zookeeper.quorum=`},
		"a loop":     {"<configuration>\n<property><name>hbase.zookeeper.quorum</name><value>a${hbase.zookeeper.quorum}</value></property></configuration>", `line 2: hbase.zookeeper.quorum is "a${hbase.zookeeper.quorum}", which names a variable that these files do not set; set it with -p hbase.zookeeper.quorum=`},
		"an include": {"<configuration xmlns:xi='http://www.w3.org/2001/XInclude'>\n<xi:include href='other.xml'/></configuration>", "line 2: includes another file, which is not read; put its properties here"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadSite([]byte(test.content))
			require.EqualError(t, err, test.want)
		})
	}
}

func FuzzSite(f *testing.F) {
	f.Add([]byte(site))
	f.Add([]byte("<configuration><a><b><name>x</name></b></a></configuration><configuration/>"))
	f.Fuzz(func(t *testing.T, content []byte) {
		written, err := ReadSite(content)
		if err != nil {
			return
		}
		given := reader().Given(spec.Submission{Files: []spec.File{{Name: "x.xml", Content: written}}})
		require.NotEmpty(t, given, "the output can be read as properties")
	})
}

func FuzzSplits(f *testing.F) {
	f.Add(`user1,user\x00\x2C,\xff`)
	f.Fuzz(func(t *testing.T, list string) {
		written, err := checkSplits(list)
		if err != nil {
			return
		}
		keys, err := parseSplits(list)
		require.NoError(t, err)
		again, err := parseSplits(written)
		require.NoError(t, err)
		require.Equal(t, keys, again)
	})
}
