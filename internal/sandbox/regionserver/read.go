package regionserver

import (
	"context"
	"math"
	"time"

	"github.com/tsuna/gohbase/pb"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/filter"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

func (s client) get(ctx context.Context, c *rpc.Call, a *rpc.Answer) error {
	var request hbasepb.GetRequest
	if err := rpc.Decode(c, &request); err != nil {
		return err
	}
	r, err := s.Node.Region(request.GetRegion().GetValue())
	if err != nil {
		return err
	}
	out := s.result()
	defer s.results.Put(out)
	if err := s.read(ctx, r, request.GetGet(), out, a); err != nil {
		return err
	}
	if request.GetGet().GetExistenceOnly() {
		a.Body = appendGetResponse(a.Body, appendStale(appendExists(nil, len(out.Cells) > 0), r.Copy > 0))
		return nil
	}
	if c.Conn.Plain {
		a.Message = &hbasepb.GetResponse{Result: markStale(plainResult(out.Cells), r.Copy > 0)}
		return nil
	}
	a.Cells = appendCells(a.Cells, out.Cells)
	var room [16]byte
	a.Body = appendGetResponse(a.Body, appendStale(appendCount(room[:0], len(out.Cells)), r.Copy > 0))
	return nil
}

// read reads one row for a Get, which may be part of a batch.
func (s client) read(ctx context.Context, r *cluster.Region, g *hbasepb.Get, out *store.Result, a *rpc.Answer) error {
	if err := s.applyFaults(ctx, fault.Get, r, g.GetRow(), a); err != nil {
		return err
	}
	began := time.Now()
	s.Node.Meter.RowActions.Add(1)
	get, err := getOf(g)
	if err != nil {
		return err
	}
	if err := r.Get(&get, out); err != nil {
		return err
	}
	s.Node.Meter.Get.Record(time.Since(began))
	return nil
}

func (s *Server) result() *store.Result {
	out, _ := s.results.Get().(*store.Result)
	return out
}

func getOf(g *hbasepb.Get) (store.Get, error) {
	get := store.Get{Row: g.GetRow()}
	if g.GetClosestRowBefore() {
		return get, rpc.Finalf("org.apache.hadoop.hbase.client.UnknownProtocolException", "reading the row before is not supported; use a reversed scan")
	}
	if len(g.GetCfTimeRange()) > 0 {
		return get, rpc.Finalf(finalIO, "the sandbox does not support a time range of a single column family")
	}
	get.Columns = columnsOf(g.GetColumn())
	get.Times = timesOf(g.GetTimeRange())
	get.MaxVersions = int(min(g.GetMaxVersions(), math.MaxInt32))
	get.Limit = int(min(g.GetStoreLimit(), math.MaxInt32))
	get.Offset = int(min(g.GetStoreOffset(), math.MaxInt32))
	var err error
	get.Filter, err = filterOf(g.GetFilter())
	return get, err
}

func columnsOf(columns []*hbasepb.Column) []store.Columns {
	if len(columns) == 0 {
		return nil
	}
	all := make([]store.Columns, len(columns))
	for i, c := range columns {
		all[i] = store.Columns{Family: string(c.GetFamily()), Qualifiers: c.GetQualifier()}
	}
	return all
}

func timesOf(r *hbasepb.TimeRange) protocol.TimeRange {
	if r == nil {
		return protocol.TimeRange{}
	}
	return protocol.TimeRange{Min: int64(min(r.GetFrom(), math.MaxInt64)), Max: int64(min(r.GetTo(), math.MaxInt64))}
}

func filterOf(f *hbasepb.Filter) (filter.Filter, error) {
	if f == nil {
		return nil, nil //nolint:nilnil // a request without a filter is valid
	}
	parsed, err := filter.Parse(&pb.Filter{Name: f.Name, SerializedFilter: f.SerializedFilter})
	if err != nil {
		return nil, rpc.Finalf(finalIO, "%v", err)
	}
	return parsed, nil
}
