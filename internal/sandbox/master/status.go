package master

import (
	"runtime"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/meta"
	"github.com/benchd/benchd/internal/sandbox/regionserver"
	"github.com/benchd/benchd/internal/sandbox/store"
)

// clusterStatus describes the cluster: the parts that the request asks for, by default all.
func (s *Server) clusterStatus(m *hbasepb.GetClusterStatusRequest) (proto.Message, error) {
	asked := func(o hbasepb.StatusOption) bool {
		return len(m.GetOptions()) == 0 || slices.Contains(m.GetOptions(), o)
	}
	out := &hbasepb.ClusterStatus{}
	if asked(hbasepb.StatusOption_STATUS_OPTION_HBASE_VERSION) {
		out.HbaseVersion = &hbasepb.HBaseVersionFileContent{Version: new(Version)}
	}
	if asked(hbasepb.StatusOption_STATUS_OPTION_CLUSTER_ID) {
		out.ClusterId = &hbasepb.ClusterId{ClusterId: new(s.Begin.ClusterID)}
	}
	if asked(hbasepb.StatusOption_STATUS_OPTION_MASTER) {
		out.Master = s.Begin.Master
	}
	if asked(hbasepb.StatusOption_STATUS_OPTION_BALANCER_ON) {
		out.BalancerOn = new(s.Cluster.Balancing.Load())
	}
	if asked(hbasepb.StatusOption_STATUS_OPTION_MASTER_INFO_PORT) {
		out.MasterInfoPort = new(int32(s.InfoPort))
	}
	for _, node := range s.Cluster.Servers() {
		switch {
		case !node.Known():
			if asked(hbasepb.StatusOption_STATUS_OPTION_DEAD_SERVERS) {
				out.DeadServers = append(out.DeadServers, regionserver.NameOf(node))
			}
			continue
		case asked(hbasepb.StatusOption_STATUS_OPTION_SERVERS_NAME):
			out.ServersName = append(out.ServersName, regionserver.NameOf(node))
		}
		if asked(hbasepb.StatusOption_STATUS_OPTION_LIVE_SERVERS) {
			load, err := loadOf(node)
			if err != nil {
				return nil, err
			}
			out.LiveServers = append(out.LiveServers, &hbasepb.LiveServerInfo{Server: regionserver.NameOf(node), ServerLoad: load})
		}
	}
	if asked(hbasepb.StatusOption_STATUS_OPTION_TABLE_TO_REGIONS_COUNT) {
		out.TableRegionStatesCount = s.counts()
	}
	return &hbasepb.GetClusterStatusResponse{ClusterStatus: out}, nil
}

func loadOf(node *cluster.Server) (*hbasepb.ServerLoad, error) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	load := &hbasepb.ServerLoad{
		UsedHeapMb:      new(uint32(memory.HeapInuse >> 20)),
		MaxHeapMb:       new(uint32(memory.Sys >> 20)),
		ReportStartTime: new(uint64(node.Started.UnixMilli())),
		ReportEndTime:   new(uint64(time.Now().UnixMilli())),
		InfoServerPort:  new(uint32(node.InfoPort)),
	}
	for _, r := range node.Regions() {
		one, err := regionserver.LoadOf(r)
		if err != nil {
			return nil, err
		}
		load.RegionLoads = append(load.RegionLoads, one)
	}
	load.TotalNumberOfRequests = new(uint64(node.Meter.RowActions.Load()))
	load.NumberOfRequests = proto.Uint64(0)
	return load, nil
}

// counts returns how many regions of each table are served.
func (s *Server) counts() []*hbasepb.TableRegionStatesCount {
	count := func(name store.Name, open, closed int) *hbasepb.TableRegionStatesCount {
		return &hbasepb.TableRegionStatesCount{
			TableName: meta.TableName(name),
			RegionStatesCount: &hbasepb.RegionStatesCount{
				OpenRegions: new(uint32(open)), SplitRegions: proto.Uint32(0), ClosedRegions: new(uint32(closed)),
				RegionsInTransition: proto.Uint32(0), TotalRegions: new(uint32(open + closed)),
			},
		}
	}
	all := []*hbasepb.TableRegionStatesCount{count(metaName(), 1, 0)}
	for _, t := range s.Cluster.Store().Tables() {
		regions, err := s.Cluster.Store().Regions(t.Name)
		if err != nil {
			continue // the table was just deleted
		}
		if t.State == store.Enabled {
			all = append(all, count(t.Name, len(regions), 0))
		} else {
			all = append(all, count(t.Name, 0, len(regions)))
		}
	}
	return all
}
