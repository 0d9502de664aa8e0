// Package hbasespec describes the targets hbase and sandbox, which speaks HBase's protocols: their properties, settings and
// actions.
package hbasespec

import (
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/workload"
)

// The names of the targets.
const (
	Name        = "hbase"
	SandboxName = "sandbox"
)

// Target describes HBase.
func Target() descriptor.Target {
	t := common()
	t.Name, t.Aliases = Name, []string{"site.ycsb.db.HBaseClient"}
	for _, v := range []string{"094", "098", "1", "10", "12", "14", "2", "20"} {
		t.Aliases = append(t.Aliases, "hbase"+v, "site.ycsb.db.hbase"+v+".HBaseClient"+v, "site.ycsb.db.HBaseClient"+v)
	}
	t.Operations = append(t.Operations, workload.MultiRow) // the sandbox has no plug-ins
	t.Admin = admin()
	t.Site = descriptor.Site{
		Flag: "hbase-site", Usage: "read the address, the security and the timeouts of the cluster from an hbase-site.xml `FILE`",
		Folder: "hbase-conf", FolderUsage: "read them from core-site.xml, hdfs-site.xml and hbase-site.xml in `DIR`, a client's configuration",
		KeysUsage: "take keytab, principal and certificates from hbase-site.xml and core-site.xml in `DIR`, a client's configuration of HBase; other flags override it",
		Files:     SiteFiles(), Required: siteFile, Read: ReadSites, Credential: siteCredential,
	}
	return t
}

// Sandbox describes an embedded cluster that speaks HBase's protocols. A run can start one.
func Sandbox() descriptor.Target {
	t := common()
	t.Name = SandboxName
	t.Embedded = descriptor.Embedded{
		Prefix: "sandbox.", Elsewhere: Name,
		Help: `With --db sandbox it also starts a sandbox, which speaks HBase's protocol and needs no Java; properties sandbox.* configure it
(docs/sandbox.md).`,
	}
	t.Keys = append(t.Keys, sandboxKeys()...)
	t.Check = checkOpen
	t.Actions = append(t.Actions, sandboxActions()...)
	t.Report.Caution = func(map[string]string) string { return cautionOfSandbox }
	t.Terms = sandboxTerms
	t.Supplied = map[string]string{"columnfamily": "family"} // runs create all of its tables
	return t
}

// common returns what HBase and a sandbox have in common.
func common() descriptor.Target {
	return descriptor.Target{
		Operations: []workload.Kind{
			workload.Read, workload.Update, workload.Insert, workload.Scan, workload.ReadModifyWrite, workload.Delete, workload.Increment,
			workload.Append, workload.MultiGet, workload.CheckAndPut,
		},
		Keys:        keys(),
		Exclusive:   [][2]string{{"hbase.splits", SplitKeys}},
		Attachments: []descriptor.Attachment{{File: "hbase.splits.file", Into: SplitKeys, Parse: readSplits}},
		RequestLog:  requestLog(),
		Check:       check,
		Address:     append(addressKeys(), registryKey, masterPortKey),
		Where:       "hbase.zookeeper.quorum=zk1:2181",
		Stores:      true,
		AnyFields:   true,
		Filling:     []string{"hbase.table.create"},
		Empties:     recreates,
		Splits:      splitsOf,
		Watched:     true,
		Columns:     columns(),
		Bottlenecks: bottlenecks(),
		Report:      inReports(),
		Actions:     Actions(),
		Between:     between(),
		Probe:       "servers",
		Examine:     examine,
		Terms:       terms,
	}
}
