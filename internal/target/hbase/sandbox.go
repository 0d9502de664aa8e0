package hbase

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

// sandboxMark ends the version of HBase that a sandbox says it is.
const sandboxMark = "-benchd-sandbox"

// OpenSandbox is the load.Driver of a sandbox: HBase's, that insists on a sandbox. What is measured on one must not be
// taken for HBase's, nor the other way round.
func OpenSandbox(ctx context.Context, s load.Settings) (load.Target, error) {
	settings, err := hbasespec.Read(s.Properties)
	if err != nil {
		return nil, fmt.Errorf("read settings of target sandbox: %w", err)
	}
	quorum := strings.Join(settings.Quorum, ",")
	opened, err := Open(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("find a sandbox at %s: %w; target sandbox needs one that runs: start it with `benchd sandbox` or `benchd dev`, and name it with -p hbase.zookeeper.quorum=HOST:PORT if it is elsewhere; `benchctl run` brings one of its own", quorum, err)
	}
	t, ok := opened.(*Target)
	if !ok {
		return opened, nil
	}
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	cluster, err := t.cluster.Cluster(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ask what is at %s: %w", quorum, err), t.Close())
	}
	if !isSandbox(cluster.Version) {
		return nil, errors.Join(fmt.Errorf("at %s there is no sandbox but HBase %s: write --db hbase for it, or name a sandbox with -p hbase.zookeeper.quorum=HOST:PORT", quorum, cluster.Version), t.Close())
	}
	return t, nil
}

func isSandbox(version string) bool { return strings.HasSuffix(version, sandboxMark) }
