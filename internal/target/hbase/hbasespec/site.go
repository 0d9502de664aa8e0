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

// ReadSite turns an hbase-site.xml into a properties file of the settings that say where HBase is, and how it is
// secured, which is judged with all else, and of those that HBase's own client obeys and benchd does not. They
// are on the lines on which the XML file has them. Nothing else of it is kept: such files have passwords in them.
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
			return nil, fmt.Errorf("line %d: %s is %s, and benchd does not fill in variables; give it by -p %s=", p.line, p.name, property.Quote(p.value), p.name)
		}
		found = found || slices.Contains(wanted[:3], p.name)
		for ; line < p.line; line++ {
			out.WriteByte('\n')
		}
		out.WriteString(p.name + "=" + strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(p.value) + "\n")
		line++
	}
	if !found {
		return nil, fmt.Errorf("names none of %s; is it the file that HBase's clients have?", strings.Join(wanted[:3], ", "))
	}
	return []byte(out.String()), nil
}

// maxSite bounds an hbase-site.xml.
const maxSite = 1 << 20

// siteProperty is one property of a Hadoop configuration file, without blanks around it.
type siteProperty struct {
	name, value string
	line        int
}

// readSite reads a Hadoop configuration file.
func readSite(content []byte) ([]siteProperty, error) {
	if len(content) > maxSite {
		return nil, fmt.Errorf("has %d bytes; %d are the most", len(content), maxSite)
	}
	d := xml.NewDecoder(bytes.NewReader(content))
	var properties []siteProperty
	var path []string
	var one siteProperty
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && path == nil:
			return nil, errors.New("is empty; it should hold <configuration> with properties in it")
		case errors.Is(err, io.EOF):
			return properties, nil
		case err != nil:
			return nil, fmt.Errorf("is no XML that can be read: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if path == nil && t.Name.Local != "configuration" {
				return nil, fmt.Errorf("begins with <%s>; it should hold <configuration> with properties in it", property.PrintableName(t.Name.Local))
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
