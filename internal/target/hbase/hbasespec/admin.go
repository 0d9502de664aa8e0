package hbasespec

import "github.com/benchd/benchd/internal/descriptor"

// admin describes the commands of `benchctl admin hbase`.
func admin() descriptor.Admin {
	return descriptor.Admin{
		Short: "Administer an HBase: flush, compact, split, move, balance, count and more",
		Long: `Hbase administers an HBase cluster. Its address is given by -p hbase.zookeeper.quorum=HOST:PORT or --hbase-site; the default
is the agent's own machine.

TABLE defaults to the property table, which is usertable by default. An action whose outcome is unknown, because it timed out or
its agent was lost, may still go on in the cluster: check before you repeat it.`,
		Example: `  benchctl admin hbase regions usertable -p hbase.zookeeper.quorum=zk1:2181
  benchctl admin hbase flush usertable && benchctl admin hbase major-compact usertable --wait
  benchctl admin hbase count usertable --local -o json | jq '.rows[0][1]'`,
	}
}
