package regionserver

import (
	"context"
	"math"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/meta"
	"github.com/benchd/benchd/internal/sandbox/rpc"
)

// admin implements AdminService.
type admin struct{ *Server }

// Quick reports false: no call of AdminService is frequent.
func (admin) Quick(*rpc.Call) bool { return false }

// Serve answers a call.
func (s admin) Serve(ctx context.Context, c *rpc.Call, a *rpc.Answer) {
	s.Node.Meter.OtherCalls.Add(1)
	err := s.applyFaults(ctx, fault.Admin, nil, nil, a)
	if err == nil {
		a.Message, err = s.serve(c)
	}
	if err != nil {
		a.Message = nil
		a.Fail(cluster.Explain(err))
		s.Node.Meter.Failed(a.Exception.Class)
	}
}

func (s admin) serve(c *rpc.Call) (proto.Message, error) {
	switch string(c.Method) {
	case "GetRegionInfo":
		return s.regionInfo(c)
	case "FlushRegion":
		return s.flush(c)
	case "CompactRegion":
		return s.compact(c)
	case "GetRegionLoad":
		return s.regionLoad(c)
	case "GetOnlineRegion":
		out := &hbasepb.GetOnlineRegionResponse{}
		for _, r := range s.Node.Regions() {
			out.RegionInfo = append(out.RegionInfo, meta.Message(&r.Info))
		}
		return out, nil
	case "GetServerInfo":
		return &hbasepb.GetServerInfoResponse{ServerInfo: &hbasepb.ServerInfo{ServerName: NameOf(s.Node)}}, nil
	case "GetStoreFile":
		return &hbasepb.GetStoreFileResponse{}, nil // regions share the store's files
	case "WarmupRegion":
		return &hbasepb.WarmupRegionResponse{}, nil
	case "RollWALWriter":
		return &hbasepb.RollWALWriterResponse{}, nil
	case "UpdateConfiguration":
		return &hbasepb.UpdateConfigurationResponse{}, nil
	case "ClearCompactionQueues":
		return &hbasepb.ClearCompactionQueuesResponse{}, nil
	case "ClearRegionBlockCache":
		return &hbasepb.ClearRegionBlockCacheResponse{Stats: &hbasepb.CacheEvictionStats{EvictedBlocks: proto.Int64(0)}}, nil
	case "CompactionSwitch":
		return &hbasepb.CompactionSwitchResponse{PrevState: new(true)}, nil
	default:
		return nil, rpc.Unsupported(c.Method)
	}
}

func (s admin) regionInfo(c *rpc.Call) (proto.Message, error) {
	var request hbasepb.GetRegionInfoRequest
	if err := rpc.Decode(c, &request); err != nil {
		return nil, err
	}
	r, err := s.Node.Region(request.GetRegion().GetValue())
	if err != nil {
		return nil, err
	}
	out := &hbasepb.GetRegionInfoResponse{
		RegionInfo: meta.Message(&r.Info), Splittable: new(r.Meta == nil), Mergeable: new(r.Meta == nil),
	}
	if request.GetCompactionState() {
		out.CompactionState = state(r).Enum()
	}
	if request.GetBestSplitRow() && r.Store != nil {
		if row, err := r.Store.SplitPoint(); err == nil { // without a split point the answer has none
			out.BestSplitRow = row
		}
	}
	return out, nil
}

func state(r *cluster.Region) hbasepb.CompactionState {
	switch minor, major := r.Minor.Load() > 0, r.Major.Load() > 0; {
	case minor && major:
		return hbasepb.CompactionState_COMPACTION_STATE_MAJOR_AND_MINOR
	case major:
		return hbasepb.CompactionState_COMPACTION_STATE_MAJOR
	case minor:
		return hbasepb.CompactionState_COMPACTION_STATE_MINOR
	default:
		return hbasepb.CompactionState_COMPACTION_STATE_NONE
	}
}

func (s admin) flush(c *rpc.Call) (proto.Message, error) {
	var request hbasepb.FlushRegionRequest
	if err := rpc.Decode(c, &request); err != nil {
		return nil, err
	}
	r, err := s.Node.Region(request.GetRegion().GetValue())
	if err != nil {
		return nil, err
	}
	if r.Store != nil {
		if err := r.Store.Flush(); err != nil {
			return nil, err
		}
	}
	return &hbasepb.FlushRegionResponse{LastFlushTime: new(uint64(time.Now().UnixMilli())), Flushed: new(r.Store != nil)}, nil
}

func (s admin) compact(c *rpc.Call) (proto.Message, error) {
	var request hbasepb.CompactRegionRequest
	if err := rpc.Decode(c, &request); err != nil {
		return nil, err
	}
	r, err := s.Node.Region(request.GetRegion().GetValue())
	if err != nil {
		return nil, err
	}
	if r.Store != nil {
		s.compaction(r, request.GetMajor())
	}
	return &hbasepb.CompactRegionResponse{}, nil
}

// queue counts the waiting compactions.
type queue struct {
	mu sync.Mutex
	n  int
}

func (q *queue) add(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.n += n
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n
}

// compaction compacts a region when its turn comes. A second one of the same kind is dropped meanwhile: it would find
// no work.
func (s *Server) compaction(r *cluster.Region, major bool) {
	going := &r.Minor
	if major {
		going = &r.Major
	}
	if !going.CompareAndSwap(0, 1) {
		return
	}
	s.waiting.add(1)
	s.work.Go(func() {
		defer going.Store(0)
		select {
		case s.turn <- struct{}{}:
			s.waiting.add(-1)
		case <-s.ctx.Done():
			s.waiting.add(-1)
			return
		}
		defer func() { <-s.turn }()
		began := time.Now().UnixMilli()
		if err := r.Store.Compact(major); err != nil {
			s.Logger.Warn("compaction failed", "region", r.Name, "err", err)
			return
		}
		if major {
			r.LastMajor.Store(began)
		}
	})
}

func (s admin) regionLoad(c *rpc.Call) (proto.Message, error) {
	var request hbasepb.GetRegionLoadRequest
	if err := rpc.Decode(c, &request); err != nil {
		return nil, err
	}
	out := &hbasepb.GetRegionLoadResponse{}
	for _, r := range s.Node.Regions() {
		if name := request.GetTableName(); name != nil && !sameTable(r, name) {
			continue
		}
		load, err := LoadOf(r)
		if err != nil {
			return nil, err
		}
		out.RegionLoads = append(out.RegionLoads, load)
	}
	return out, nil
}

func sameTable(r *cluster.Region, name *hbasepb.TableName) bool {
	want := meta.TableName(r.Info.Table)
	return string(name.GetNamespace()) == string(want.GetNamespace()) && string(name.GetQualifier()) == string(want.GetQualifier())
}

// NameOf returns a server's name in its protobuf form.
func NameOf(s *cluster.Server) *hbasepb.ServerName {
	return &hbasepb.ServerName{HostName: new(s.Host), Port: new(uint32(s.Port)), StartCode: new(uint64(s.StartCode))}
}

// LoadOf returns the load of a region.
func LoadOf(r *cluster.Region) (*hbasepb.RegionLoad, error) {
	load := &hbasepb.RegionLoad{
		RegionSpecifier: &hbasepb.RegionSpecifier{
			Type: hbasepb.RegionSpecifierType_REGION_SPECIFIER_TYPE_REGION_NAME.Enum(), Value: []byte(r.Name),
		},
		DataLocality:    proto.Float32(1),
		CompactionState: state(r).Enum(),
	}
	if r.Meta != nil {
		load.Stores, load.ReadRequestsCount = proto.Uint32(1), new(uint64(r.Meta.Reads()))
		return load, nil
	}
	f, err := r.Store.Figures()
	if err != nil {
		return nil, err
	}
	definition := r.Store.Table()
	load.Stores = new(uint32(len(definition.Families)))
	load.Storefiles = new(uint32(f.StoreFiles))
	load.StorefileSizeMb = megabytes(f.StoreFileBytes)
	load.StoreUncompressedSizeMb = load.StorefileSizeMb
	load.RegionSizeMb = load.StorefileSizeMb
	load.MemStoreSizeMb = megabytes(f.MemStoreBytes)
	load.ReadRequestsCount = new(uint64(f.Reads))
	load.WriteRequestsCount = new(uint64(f.Writes))
	load.LastMajorCompactionTs = new(uint64(r.LastMajor.Load()))
	return load, nil
}

// megabytes rounds up, as HBase does, so that a nonzero size is not reported as 0.
func megabytes(n int64) *uint32 {
	return new(uint32(min((max(n, 0)+1<<20-1)>>20, math.MaxUint32)))
}
