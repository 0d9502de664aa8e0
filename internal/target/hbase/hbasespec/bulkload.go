package hbasespec

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// The properties of a bulk load, and the values of hbase.load.method.
const (
	methodKey     = "hbase.load.method"
	bulkKey       = "hbase.bulkload.directory"
	bulkBufferKey = "hbase.bulkload.buffer"
	methodPut     = "put"
	methodBulk    = "bulkload"
)

// LoadMethodFact is the fact that rows were loaded in another way than by operations.
const LoadMethodFact = "load.method"

// checkBulk accepts the URL of a local folder.
func checkBulk(value string) (string, error) {
	u, err := url.Parse(value)
	switch {
	case err != nil:
		return "", fmt.Errorf("invalid folder %s: want file:///PATH", property.Quote(value))
	case u.Scheme == "hdfs":
		return "", fmt.Errorf("cannot use %s: benchd does not write to HDFS, only to a local or mounted file system that the region servers share: file:///PATH", property.Quote(value))
	case u.Scheme != "file" || u.Host != "" || !filepath.IsAbs(u.Path) || u.Opaque != "":
		return "", fmt.Errorf("invalid folder %s: want file:///PATH", property.Quote(value))
	}
	return "file://" + filepath.Clean(u.Path), property.Printable(u.Path)
}

// checkBulkLoad reports settings that do not fit a bulk load.
func checkBulkLoad(c descriptor.Case) {
	if !c.Sound(methodKey) {
		return
	}
	if c.Value(methodKey) != methodBulk {
		for _, name := range []string{bulkKey, bulkBufferKey} {
			if c.Changed(name) {
				c.Warn(name, "has no effect without hbase.load.method=bulkload")
			}
		}
		return
	}
	switch phase := c.Value("phase"); {
	case c.Value("db") == SandboxName:
		c.Fail(methodKey, "the sandbox has no HFiles; load it with hbase.load.method=put")
	case phase != "load":
		c.Fail(methodKey, "a bulk load is a submission of its own, and this one has phase=%s: load with --phase load, then run", phase)
	}
	if c.Sound(bulkKey) && c.Value(bulkKey) == "" {
		c.Fail(bulkKey, "missing, and hbase.load.method=bulkload needs it; write hbase.bulkload.directory=file:///PATH, a folder that agents and region servers share")
	}
	if c.Sound("clientbuffering") && c.Value("clientbuffering") == "true" {
		c.Fail("clientbuffering", "conflicts with hbase.load.method=bulkload, which has a buffer of its own (hbase.bulkload.buffer); remove it")
	}
	if c.Sound(authenticationKey) && c.Value(authenticationKey) == kerberos {
		c.Fail(authenticationKey, "conflicts with hbase.load.method=bulkload, which benchd supports only without Kerberos; load with hbase.load.method=put")
	}
	for _, name := range []string{"durability", "hbase.batch.size"} {
		if c.Changed(name) {
			c.Warn(name, "has no effect with hbase.load.method=bulkload")
		}
	}
	if !strings.Contains(c.Value("after.load"), "compact") {
		c.Warn(methodKey, "the HFiles are not compressed or encoded and have no bloom filter until a compaction; after.load=major_compact requests one")
	}
}
