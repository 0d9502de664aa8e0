package admin

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/go-zookeeper/zk"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// stateInZooKeeper reads the state of a table from ZooKeeper, where HBase 1 keeps it. As for HBase's own client, a table
// without a znode of its own is enabled if it exists.
func (c *Client) stateInZooKeeper(ctx context.Context, table string) (State, error) {
	z, ok := c.registry.(*zooKeeper)
	if !ok {
		return "", fmt.Errorf("%s has the states of tables in ZooKeeper: find the cluster by hbase.zookeeper.quorum", c.known())
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.CallTimeout)
	defer cancel()
	if err := z.reachable(ctx); err != nil {
		return "", err
	}
	var node hbasepb.TableNode
	err := z.session(ctx, func(conn *zk.Conn) error { return z.znode(conn, path.Join("table", table), &node) })
	if errors.Is(err, zk.ErrNoNode) {
		if there, err := c.Exists(ctx, table); err != nil || there {
			return Enabled, err
		}
		return "", ErrNoTable
	}
	if err != nil {
		return "", err
	}
	switch node.GetState() {
	case hbasepb.TableNodeState_TABLE_NODE_STATE_DISABLED:
		return Disabled, nil
	case hbasepb.TableNodeState_TABLE_NODE_STATE_DISABLING:
		return Disabling, nil
	case hbasepb.TableNodeState_TABLE_NODE_STATE_ENABLING:
		return Enabling, nil
	case hbasepb.TableNodeState_TABLE_NODE_STATE_ENABLED:
	}
	return Enabled, nil
}
