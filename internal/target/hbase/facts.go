package hbase

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// maxCauses is how many kinds of failure are counted.
const maxCauses = 50

// causes counts the reasons of retries, by kind.
type causes struct {
	mu sync.Mutex
	by map[string]uint64
}

// retried counts a retry, and logs the first of each kind: a retry is not an error, but it can explain a dip.
func (t *Table) retried(err error) {
	t.retries.Add(1)
	kind := kindOf(err)
	t.causes.mu.Lock()
	if t.causes.by == nil {
		t.causes.by = make(map[string]uint64)
	}
	n := t.causes.by[kind]
	if n > 0 || len(t.causes.by) < maxCauses {
		t.causes.by[kind] = n + 1
	}
	t.causes.mu.Unlock()
	if n == 0 {
		t.log.Info("retrying an operation", "kind", kind, "cause", err)
	}
}

// kindOf returns a short name of an error.
func kindOf(err error) string {
	if e, ok := errors.AsType[*protocol.Exception](err); ok {
		return e.Short()
	}
	if errors.Is(err, errNotOpen) {
		return "region_not_open"
	}
	if errors.Is(err, errLate) {
		return "rpc_timeout"
	}
	if _, ok := errors.AsType[*notWritten](err); ok {
		return "hfile_not_written"
	}
	return "connection"
}

// Retries implements load.Retrier.
func (t *Table) Retries() map[string]uint64 {
	if t.second != nil {
		if n, _, _ := t.second.Counts(); n > 0 {
			return map[string]uint64{"hidden_by_gohbase": uint64(n)}
		}
		return nil
	}
	t.causes.mu.Lock()
	defer t.causes.mu.Unlock()
	return maps.Clone(t.causes.by)
}

// Facts describes the cluster, and the client settings that affect a result.
func (t *Table) Facts(ctx context.Context) (map[string]string, error) {
	s := t.settings
	facts := map[string]string{
		"target":                   "hbase",
		"hbase.table":              s.FullTable(),
		"hbase.regions":            strconv.Itoa(t.regions.size()),
		"hbase.client.connections": strconv.Itoa(s.Connections),
		"hbase.client.batching":    "off",
		"client":                   s.Client,
		"consistency":              s.Consistency(),
	}
	if t.cluster != nil {
		maps.Copy(facts, t.cluster.Facts(ctx, s.FullTable()))
		if isSandbox(facts["hbase.version"]) {
			facts["target"] = "sandbox"
		}
	}
	if t.secured != nil {
		maps.Copy(facts, t.secured.Facts())
	}
	maps.Copy(facts, s.Registry.Facts())
	if len(s.Ignored) > 0 {
		facts["hbase.conf.ignored"] = strings.Join(s.Ignored, ",")
	}
	if s.BatchSize > 1 {
		facts["hbase.client.batching"] = "up to " + strconv.Itoa(s.BatchSize) + ", waiting " + s.BatchDelay.String()
	}
	if s.BulkLoad {
		facts[hbasespec.LoadMethodFact] = "bulk load of HFiles"
	}
	if t.second != nil && s.Gohbase.QueueSize > 1 {
		facts["hbase.client.batching"] = "RpcQueueSize " + strconv.Itoa(s.Gohbase.QueueSize) + ", FlushInterval " + s.Gohbase.FlushInterval.String()
	}
	return facts, nil
}

var (
	_ load.Admin         = (*Table)(nil)
	_ load.Observer      = (*Table)(nil)
	_ load.Staged        = (*Table)(nil)
	_ load.StagedSession = (*session)(nil)
	_ load.Buffering     = (*session)(nil)
)
