package hbasespec

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// SiteFiles are the files of a client's configuration folder, in the order in which later ones override earlier ones.
func SiteFiles() []string { return []string{"core-site.xml", "hdfs-site.xml", siteFile} }

const siteFile = "hbase-site.xml"

// ReadSite converts an hbase-site.xml to a properties file, as ReadSites does.
func ReadSite(content []byte) ([]byte, error) {
	files, err := ReadSites([]descriptor.SiteFile{{Content: content}})
	if err != nil {
		return nil, err
	}
	return files[0].Content, nil
}

// ReadSites converts files of a client's configuration to properties files with HBase's address, its security and its timeouts, and
// with settings that HBase's own client obeys and benchd does not; all are validated later. They are on the same lines as in the XML
// files. Of what else a client would obey only the names are kept: such files contain passwords. A setting in several files is in
// that which decides.
func ReadSites(files []descriptor.SiteFile) ([]descriptor.SiteFile, error) {
	c, err := readConf(files)
	if err != nil {
		return nil, err
	}
	out := make([]descriptor.SiteFile, len(files))
	located := false
	for i, f := range files {
		out[i].Name = f.Name
		var text strings.Builder
		line := 1
		for _, p := range c.of(i) {
			noted := slices.Contains(notedKeys(), p.name)
			if p.value == "" || !noted && !slices.Contains(siteKeys(), p.name) {
				continue
			}
			if value, ok := c.expand(p.value); ok || noted {
				p.value = value
			} else {
				return nil, named(f.Name, fmt.Errorf("line %d: %s is %s, which names a variable that these files do not set; set it with -p %s=", p.line, p.name, property.Quote(p.value), p.name))
			}
			located = located || slices.Contains(addressKeys(), p.name)
			for ; line < p.line; line++ {
				text.WriteByte('\n')
			}
			text.WriteString(p.name + "=" + strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(p.value) + "\n")
			line++
		}
		if i == len(files)-1 {
			if ignored := c.ignored(); len(ignored) > 0 {
				text.WriteString(ignoredKey + "=" + strings.Join(ignored, ",") + "\n")
			}
			if namenodes := c.namenodes(); len(namenodes) > 0 {
				text.WriteString(namenodesKey + "=" + strings.Join(namenodes, ",") + "\n")
			}
		}
		out[i].Content = []byte(text.String())
	}
	if !located {
		return nil, fmt.Errorf("contains none of %s; is it the hbase-site.xml of an HBase client?", strings.Join(addressKeys(), ", "))
	}
	return out, nil
}

// named puts the name of a file before an error. A file without a name is named by the caller.
func named(name string, err error) error {
	if name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// addressKeys are the settings of a cluster's address.
func addressKeys() []string {
	return []string{"hbase.zookeeper.quorum", "hbase.zookeeper.property.clientPort", "zookeeper.znode.parent", bootstrapKey, mastersKey}
}

// siteKeys are the settings that become properties.
func siteKeys() []string {
	return append(addressKeys(), registryKey, masterPortKey, replicasKey, hedgedKey,
		authenticationKey, protectionKey, masterPrincipalKey, serverPrincipalKey, aesKey, fallbackKey, noReverseKey,
		tlsKey, verifyKey, protocolsKey, protocolKey, zooKeeperTLSKey, httpsKey, spnegoKey,
		"hbase.client.operation.timeout", "hbase.rpc.timeout", retriesKey, pauseKey, "hbase.client.rpc.compressor", primaryGetKey, primaryScanKey, hostnamesKey,
	)
}

// notedKeys are settings that benchd has in a form of its own: a warning names it.
func notedKeys() []string {
	return []string{"hbase.client.write.buffer"}
}

// agentKeys are the settings that agents take from these files.
func agentKeys() []string {
	return []string{
		keytabKey, keytabPrincipalKey, keyStoreKey + ".location", keyStoreKey + ".password", keyStoreKey + ".type",
		trustStoreKey + ".location", trustStoreKey + ".password", trustStoreKey + ".type",
	}
}

// The settings of a client's keys.
const (
	keytabKey          = "hbase.client.keytab.file"
	keytabPrincipalKey = "hbase.client.keytab.principal"
	keyStoreKey        = "hbase.rpc.tls.keystore"
	trustStoreKey      = "hbase.rpc.tls.truststore"
)

// clientPrefixes begin the names of settings that HBase's client obeys.
func clientPrefixes() []string {
	return []string{
		"hbase.client.", "hbase.rpc.", "hbase.ipc.client.", "hbase.security.", "hbase.unsafe.client.", "hbase.hconnection.", "hbase.cells.", "hbase.locator.",
		"hbase.zookeeper.", "zookeeper.", "hadoop.socks.", "hadoop.rpc.socket.factory.",
	}
}

// serverPrefixes begin the names of those among them that only servers obey.
func serverPrefixes() []string {
	return []string{
		"hbase.security.authorization", "hbase.security.exec.", "hbase.security.access.", "hbase.security.authentication.spnego.", "hbase.security.visibility.",
		"hbase.zookeeper.property.", "hbase.zookeeper.peerport", "hbase.zookeeper.leaderport", "hbase.rpc.server.",
	}
}

// conf is the settings of several files, each with the file that decides.
type conf struct {
	properties []siteProperty
	effective  map[string]int // index in properties, by name
}

// readConf reads files, of which later ones override earlier ones, except settings that are final.
func readConf(files []descriptor.SiteFile) (*conf, error) {
	c := &conf{effective: make(map[string]int)}
	for i, f := range files {
		properties, err := readSite(f.Content)
		if err != nil {
			return nil, named(f.Name, err)
		}
		for _, p := range properties {
			if before, ok := c.effective[p.name]; ok && c.properties[before].final {
				continue
			}
			p.file = i
			c.effective[p.name] = len(c.properties)
			c.properties = append(c.properties, p)
		}
	}
	if _, both := c.effective[protocolsKey]; both {
		delete(c.effective, protocolKey) // its versions count
	}
	return c, nil
}

// of lists the settings for which a file decides, in its order.
func (c *conf) of(file int) []siteProperty {
	var list []siteProperty
	for i, p := range c.properties {
		if at, ok := c.effective[p.name]; ok && at == i && p.file == file {
			list = append(list, p)
		}
	}
	return list
}

// expand replaces ${NAME} by the setting of that name. It returns false if there is none.
func (c *conf) expand(value string) (expanded string, ok bool) {
	const deepest, longest = 20, 1 << 16
	expanded = value
	for range deepest {
		begin := strings.LastIndex(expanded, "${")
		if begin < 0 {
			return expanded, true
		}
		length := strings.IndexByte(expanded[begin:], '}')
		if length < 0 {
			return value, false
		}
		i, set := c.effective[expanded[begin+2:begin+length]]
		if !set || len(expanded) > longest {
			return value, false
		}
		expanded = expanded[:begin] + c.properties[i].value + expanded[begin+length+1:]
	}
	return value, false
}

// ignored lists the names of settings that HBase's client obeys and benchd does not, in order.
func (c *conf) ignored() []string {
	has := func(prefixes []string, name string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	}
	var names []string
	for name := range c.effective {
		switch {
		case !has(clientPrefixes(), name), has(serverPrefixes(), name), !isSettingName(name):
		case slices.Contains(siteKeys(), name), slices.Contains(notedKeys(), name), slices.Contains(agentKeys(), name):
		default:
			names = append(names, name)
		}
	}
	if at, ok := c.effective[hadoopKey]; ok && strings.EqualFold(c.properties[at].value, kerberos) {
		if _, own := c.effective[authenticationKey]; !own { // HBase's client does not look at Hadoop's either, but its user may
			names = append(names, hadoopKey)
		}
	}
	slices.Sort(names)
	return names[:min(len(names), mostIgnored)]
}

// namenodes lists the namenodes of the name services of HDFS, as hbase.bulkload.namenodes has them.
func (c *conf) namenodes() []string {
	value := func(name string) string {
		i, ok := c.effective[name]
		if !ok {
			return ""
		}
		text, _ := c.expand(c.properties[i].value)
		return text
	}
	var list []string
	for service := range strings.SplitSeq(value("dfs.nameservices"), ",") {
		service = strings.TrimSpace(service)
		const address = "dfs.namenode.rpc-address."
		keys := []string{address + service}
		if ids := value("dfs.ha.namenodes." + service); ids != "" {
			keys = keys[:0]
			for id := range strings.SplitSeq(ids, ",") {
				keys = append(keys, address+service+"."+strings.TrimSpace(id))
			}
		}
		for _, key := range keys {
			one := service + "/" + value(key)
			if _, err := checkNamenodes(one); err == nil && !strings.ContainsAny(one, ",$") {
				list = append(list, one)
			}
		}
	}
	return list
}

// hadoopKey is how clients of HDFS authenticate.
const hadoopKey = "hadoop.security.authentication"

// mostIgnored bounds the list of ignored settings.
const mostIgnored = 100

// isSettingName reports whether a text has the form of a setting's name.
func isSettingName(text string) bool {
	return regexp.MustCompile(`^[A-Za-z0-9._-]{1,120}$`).MatchString(text)
}

// checkIgnored accepts a list of names.
func checkIgnored(value string) (string, error) {
	for name := range strings.SplitSeq(value, ",") {
		if !isSettingName(name) && value != "" {
			return "", errors.New("want names of settings, separated by commas: --hbase-conf and --hbase-site set it")
		}
	}
	return value, nil
}

// maxSite is the largest hbase-site.xml, in bytes.
const maxSite = 1 << 20

// siteProperty is one property of a Hadoop configuration file, without surrounding spaces.
type siteProperty struct {
	name, value string
	line        int
	final       bool // later files do not override it
	file        int
}

// readSite reads a Hadoop configuration file.
func readSite(content []byte) ([]siteProperty, error) {
	if len(content) > maxSite {
		return nil, fmt.Errorf("is %d bytes long; the limit is %d", len(content), maxSite)
	}
	d := xml.NewDecoder(bytes.NewReader(content))
	var properties []siteProperty
	var path []string
	var one siteProperty
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && path == nil:
			return nil, errors.New("is empty; want <configuration> with properties")
		case errors.Is(err, io.EOF):
			return properties, nil
		case err != nil:
			return nil, fmt.Errorf("is not valid XML: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if path == nil && t.Name.Local != "configuration" {
				return nil, fmt.Errorf("begins with <%s>; want <configuration> with properties", property.PrintableName(t.Name.Local))
			}
			if t.Name.Local == "include" {
				line, _ := d.InputPos()
				return nil, fmt.Errorf("line %d: includes another file, which is not read; put its properties here", line)
			}
			path = append(path, t.Name.Local)
			if len(path) == 2 {
				one = siteProperty{}
			}
			if len(path) == 3 && t.Name.Local == "value" {
				one.line, _ = d.InputPos()
			}
		case xml.CharData:
			if len(path) != 3 {
				continue
			}
			switch path[2] {
			case "name":
				one.name += string(t)
			case "value":
				one.value += string(t)
			case "final":
				one.final = one.final || strings.EqualFold(strings.TrimSpace(string(t)), "true")
			}
		case xml.EndElement:
			if len(path) == 2 && path[1] == "property" {
				one.name, one.value = strings.TrimSpace(one.name), strings.TrimSpace(one.value)
				properties = append(properties, one)
			}
			path = path[:len(path)-1]
		}
	}
}
