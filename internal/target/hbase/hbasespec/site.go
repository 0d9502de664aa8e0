package hbasespec

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/property"
)

// ReadSite converts an hbase-site.xml to a properties file with HBase's address and security settings, and with settings that
// HBase's own client obeys and benchd does not; all are validated later. They are on the same lines as in the XML file.
// Nothing else is kept: such files contain passwords.
func ReadSite(content []byte) ([]byte, error) {
	properties, err := readSite(content)
	if err != nil {
		return nil, err
	}
	wanted := []string{
		"hbase.zookeeper.quorum", "hbase.zookeeper.property.clientPort", "zookeeper.znode.parent",
		"hbase.security.authentication", "hbase.rpc.protection", "hbase.client.netty.tls.enabled", "zookeeper.client.secure",
	}
	noted := []string{"hbase.client.retries.number", "hbase.client.pause", "hbase.client.write.buffer"} // with a warning
	var out strings.Builder
	line, found := 1, false
	for _, p := range properties {
		note := slices.Contains(noted, p.name)
		if !note && !slices.Contains(wanted, p.name) || p.value == "" {
			continue
		}
		if strings.Contains(p.value, "${") && !note {
			return nil, fmt.Errorf("line %d: %s is %s, and benchd does not expand variables; set it with -p %s=", p.line, p.name, property.Quote(p.value), p.name)
		}
		found = found || slices.Contains(wanted[:3], p.name)
		for ; line < p.line; line++ {
			out.WriteByte('\n')
		}
		out.WriteString(p.name + "=" + strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(p.value) + "\n")
		line++
	}
	if !found {
		return nil, fmt.Errorf("contains none of %s; is it the hbase-site.xml of an HBase client?", strings.Join(wanted[:3], ", "))
	}
	return []byte(out.String()), nil
}

// maxSite is the largest hbase-site.xml, in bytes.
const maxSite = 1 << 20

// siteProperty is one property of a Hadoop configuration file, without surrounding spaces.
type siteProperty struct {
	name, value string
	line        int
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
