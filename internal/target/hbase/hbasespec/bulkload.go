package hbasespec

import (
	"fmt"
	"net/url"
	"path"
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
	namenodesKey  = "hbase.bulkload.namenodes"
	hostnamesKey  = "dfs.client.use.datanode.hostname"
	methodPut     = "put"
	methodBulk    = "bulkload"
)

// LoadMethodFact is the fact that rows were loaded in another way than by operations.
const LoadMethodFact = "load.method"

// Bulk is how rows are loaded in bulk.
type Bulk struct {
	Folder    Folder // of the HFiles
	Buffer    int    // bytes of rows that a worker collects for its HFiles
	Namenodes []string
	Hostnames bool // connect to datanodes by name
}

func bulk(v property.Values) Bulk {
	folder, _ := ParseFolder(v.Text(bulkKey)) // as checked; empty without a bulk load
	return Bulk{
		Folder: folder, Buffer: v.Int(bulkBufferKey), Namenodes: folder.namenodes(v.Text(namenodesKey)), Hostnames: v.Bool(hostnamesKey),
	}
}

// Folder is a folder that agents and region servers share.
type Folder struct {
	HDFS string // HOST[:PORT] of the namenode, or a name service; empty for the local file system
	Path string
}

// ParseFolder parses file:///PATH, hdfs://HOST[:PORT]/PATH or hdfs://SERVICE/PATH.
func ParseFolder(value string) (Folder, error) {
	u, err := url.Parse(value)
	hdfs := err == nil && u.Scheme == "hdfs" && u.Host != "" && u.Port() != "0" && u.User == nil && !strings.HasSuffix(u.Host, ":")
	local := err == nil && u.Scheme == "file" && u.Host == ""
	if !hdfs && !local || u.Opaque != "" || u.RawQuery != "" || u.Fragment != "" || !path.IsAbs(u.Path) || property.Printable(u.Path) != nil {
		return Folder{}, fmt.Errorf("invalid folder %s: want file:///PATH, hdfs://HOST:PORT/PATH or, with the name service of a cluster, hdfs://NAME/PATH", property.Quote(value))
	}
	return Folder{HDFS: u.Host, Path: path.Clean(u.Path)}, nil
}

// String returns the URL by which servers find the folder.
func (f Folder) String() string {
	if f.HDFS != "" {
		return "hdfs://" + f.HDFS + f.Path
	}
	return "file://" + f.Path
}

// Join returns a folder or file below this one.
func (f Folder) Join(name string) Folder {
	f.Path = path.Join(f.Path, name)
	return f
}

// Below returns the way from a folder to this one. Ok is false if this one is neither that folder nor below it.
func (f Folder) Below(top Folder) (way string, ok bool) {
	way, err := filepath.Rel(top.Path, f.Path)
	return way, err == nil && f.HDFS == top.HDFS && filepath.IsLocal(way)
}

// namenodePort is the port of a namenode without another one.
const namenodePort = "8020"

// namenodes returns the addresses of the folder's namenodes, by a list of those of name services.
func (f Folder) namenodes(list string) []string {
	if f.HDFS == "" {
		return nil
	}
	var of []string
	for one := range strings.SplitSeq(list, ",") {
		if service, address, _ := strings.Cut(one, "/"); service == f.HDFS {
			of = append(of, addresses(address, namenodePort)...)
		}
	}
	if len(of) == 0 {
		of = addresses(f.HDFS, namenodePort)
	}
	return of
}

// checkBulk accepts the URL of a folder.
func checkBulk(value string) (string, error) {
	f, err := ParseFolder(value)
	if err != nil {
		return "", err
	}
	return f.String(), nil
}

// checkNamenodes accepts a list of SERVICE/HOST[:PORT].
func checkNamenodes(value string) (string, error) {
	for one := range strings.SplitSeq(value, ",") {
		service, address, ok := strings.Cut(one, "/")
		if value != "" && (!ok || service == "" || address == "" || strings.ContainsAny(one, " \t")) {
			return "", fmt.Errorf("invalid namenode %s: want SERVICE/HOST:PORT, such as cluster/nn1.example:8020, separated by commas", property.Quote(one))
		}
	}
	return value, nil
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
		c.Fail(bulkKey, "missing, and hbase.load.method=bulkload needs it; write hbase.bulkload.directory=hdfs://HOST:PORT/PATH or file:///PATH, a folder that agents and region servers share")
	}
	if c.Sound("clientbuffering") && c.Value("clientbuffering") == "true" {
		c.Fail("clientbuffering", "conflicts with hbase.load.method=bulkload, which has a buffer of its own (hbase.bulkload.buffer); remove it")
	}
	if c.Sound(authenticationKey) && c.Value(authenticationKey) == kerberos {
		c.Fail(authenticationKey, "conflicts with hbase.load.method=bulkload, which benchd supports only without Kerberos: the servers would read the files as the agent, with a delegation token of HDFS, which benchd does not get; load with hbase.load.method=put")
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
