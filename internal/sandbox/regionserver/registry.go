package regionserver

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/meta"
	"github.com/benchd/benchd/internal/sandbox/rpc"
)

// Registry implements ClientMetaService, where a client starts that does not use ZooKeeper.
type Registry struct {
	Cluster *cluster.Cluster
	Begin   *Beginning
}

// Beginning holds the facts that a client needs first.
type Beginning struct {
	ClusterID string
	Master    *hbasepb.ServerName
}

// Name is the master's name in HBase's form: host,port,startcode.
func (b *Beginning) Name() string {
	return fmt.Sprintf("%s,%d,%d", b.Master.GetHostName(), b.Master.GetPort(), b.Master.GetStartCode())
}

// Quick reports true: these calls are fast.
func (Registry) Quick(*rpc.Call) bool { return true }

// Serve answers a call.
func (r Registry) Serve(_ context.Context, c *rpc.Call, a *rpc.Answer) {
	switch string(c.Method) {
	case "GetClusterId":
		a.Message = &hbasepb.GetClusterIdResponse{ClusterId: new(r.Begin.ClusterID)}
	case "GetActiveMaster":
		a.Message = &hbasepb.GetActiveMasterResponse{ServerName: r.Begin.Master}
	case "GetMasters":
		a.Message = &hbasepb.GetMastersResponse{MasterServers: []*hbasepb.GetMastersResponseEntry{
			{ServerName: r.Begin.Master, IsActive: new(true)},
		}}
	case "GetBootstrapNodes":
		out := &hbasepb.GetBootstrapNodesResponse{}
		for _, s := range r.Cluster.Live() {
			out.ServerName = append(out.ServerName, NameOf(s))
		}
		a.Message = out
	case "GetMetaRegionLocations":
		out := &hbasepb.GetMetaRegionLocationsResponse{}
		if s := r.Cluster.MetaServer(); s != nil {
			out.MetaLocations = []*hbasepb.RegionLocation{{RegionInfo: meta.Self(), ServerName: NameOf(s), SeqNum: proto.Int64(0)}}
		}
		for i, s := range r.Cluster.MetaReplicas() {
			if s != nil {
				info := meta.Self()
				info.ReplicaId = new(int32(i + 1))
				out.MetaLocations = append(out.MetaLocations, &hbasepb.RegionLocation{RegionInfo: info, ServerName: NameOf(s), SeqNum: proto.Int64(0)})
			}
		}
		a.Message = out
	default:
		a.Exception = rpc.Unsupported(c.Method)
	}
}
