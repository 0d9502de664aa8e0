package hbasespec

import "github.com/benchd/benchd/internal/descriptor"

// admin is what an administrator does to HBase.
func admin() descriptor.Admin {
	return descriptor.Admin{
		Short: "Flush, compact, split, move, balance, count and the like, on an HBase",
		Long: `Hbase does to an HBase cluster what its administrator does. Where the cluster is say -p hbase.zookeeper.quorum=HOST:PORT
or --hbase-site; without either it is looked for on the agent's own machine.

Without a TABLE the property table is meant, which is usertable by default. What was begun by an action whose outcome is
not known, because its time was over or its agent was lost, may go on: look before you ask for it again.`,
		Example: `  benchctl admin hbase regions usertable -p hbase.zookeeper.quorum=zk1:2181
  benchctl admin hbase flush usertable && benchctl admin hbase major-compact usertable --wait
  benchctl admin hbase count usertable --local -o json | jq '.rows[0][1]'`,
	}
}
