package hbase

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

// sandboxMark is the suffix of the HBase version that a sandbox reports.
const sandboxMark = "-benchd-sandbox"

// OpenSandbox is the load.Driver of target sandbox. It refuses an HBase, so that measurements of a sandbox and of an HBase are
// not confused.
func OpenSandbox(ctx context.Context, s load.Settings) (load.Target, error) {
	settings, err := hbasespec.Read(s.Properties)
	if err != nil {
		return nil, fmt.Errorf("read settings of target sandbox: %w", err)
	}
	where := settings.Where()
	opened, err := Open(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("find a sandbox at %s: %w; target sandbox needs a running sandbox: start one with `benchd sandbox` or `benchd dev`, and set -p hbase.zookeeper.quorum=HOST:PORT if it is elsewhere; `benchctl run` starts its own", where, err)
	}
	t, ok := opened.(*Table)
	if !ok {
		return opened, nil
	}
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	cluster, err := t.cluster.Cluster(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("identify the cluster at %s: %w", where, err), t.Close())
	}
	if !isSandbox(cluster.Version) {
		return nil, errors.Join(fmt.Errorf("the cluster at %s is HBase %s, not a sandbox: use --db hbase, or set -p hbase.zookeeper.quorum=HOST:PORT to a sandbox", where, cluster.Version), t.Close())
	}
	return t, nil
}

func isSandbox(version string) bool { return strings.HasSuffix(version, sandboxMark) }
