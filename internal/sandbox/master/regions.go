package master

import (
	"fmt"
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/rpc"
)

func (s *Server) moveRegion(m *hbasepb.MoveRegionRequest) (proto.Message, error) {
	to := ""
	if d := m.GetDestServerName(); d != nil {
		to = fmt.Sprintf("%s,%d,%d", d.GetHostName(), d.GetPort(), d.GetStartCode())
	}
	return &hbasepb.MoveRegionResponse{}, s.Cluster.Move(m.GetRegion().GetValue(), to)
}

// splitRegion splits at the given row immediately; or in the middle, in the background, because that reads the region.
func (s *Server) splitRegion(m *hbasepb.SplitTableRegionRequest) (proto.Message, error) {
	if !s.Cluster.Splitting.Load() {
		return nil, rpc.Finalf(finalIO, "splits are switched off")
	}
	name, err := s.regionOf(m.GetRegionInfo())
	if err != nil {
		return nil, err
	}
	if at := m.GetSplitRow(); len(at) > 0 {
		if err := s.Cluster.Split(name, at); err != nil {
			return nil, err
		}
		return &hbasepb.SplitTableRegionResponse{ProcId: s.procedures.done()}, nil
	}
	return &hbasepb.SplitTableRegionResponse{ProcId: s.procedures.begin(func() error { return s.Cluster.Split(name, nil) })}, nil
}

// regionOf finds the name of the region that a client describes.
func (s *Server) regionOf(m *hbasepb.RegionInfo) ([]byte, error) {
	regions, err := s.Cluster.Store().Regions(tableName(m.GetTableName()))
	if err != nil {
		return nil, err
	}
	for _, r := range regions {
		info := r.Info()
		if uint64(info.ID) == m.GetRegionId() && string(info.Start) == string(m.GetStartKey()) {
			return []byte(info.Encoded), nil
		}
	}
	return nil, rpc.Finalf(hbase+"UnknownRegionException", "region of table %s from %q with id %d", tableName(m.GetTableName()), m.GetStartKey(), m.GetRegionId())
}

func (s *Server) mergeRegions(m *hbasepb.MergeTableRegionsRequest) (proto.Message, error) {
	if !s.Cluster.Merging.Load() {
		return nil, rpc.Finalf(finalIO, "merges are switched off")
	}
	names := make([][]byte, 0, len(m.GetRegion()))
	for _, r := range m.GetRegion() {
		names = append(names, r.GetValue())
	}
	if err := s.Cluster.Merge(names...); err != nil {
		return nil, err
	}
	return &hbasepb.MergeTableRegionsResponse{ProcId: s.procedures.done()}, nil
}

func (s *Server) lastMajorOfTable(m *hbasepb.MajorCompactionTimestampRequest) (proto.Message, error) {
	regions, err := s.Cluster.Store().Regions(tableName(m.GetTableName()))
	if err != nil {
		return nil, err
	}
	oldest := int64(0)
	for i, r := range regions {
		info := r.Info()
		at, err := s.lastMajor([]byte(info.Encoded))
		if err != nil {
			return nil, err
		}
		if i == 0 || at < oldest {
			oldest = at
		}
	}
	return &hbasepb.MajorCompactionTimestampResponse{CompactionTimestamp: &oldest}, nil
}

func (s *Server) lastMajorOfRegion(m *hbasepb.MajorCompactionTimestampForRegionRequest) (proto.Message, error) {
	at, err := s.lastMajor(m.GetRegion().GetValue())
	return &hbasepb.MajorCompactionTimestampResponse{CompactionTimestamp: &at}, err
}

func (s *Server) lastMajor(region []byte) (int64, error) {
	r, _, err := s.Cluster.Find(region)
	if err != nil {
		return 0, err
	}
	return r.LastMajor.Load(), nil
}

func (s *Server) balance(m *hbasepb.BalanceRequest) (proto.Message, error) {
	if !s.Cluster.Balancing.Load() || m.GetDryRun() {
		return &hbasepb.BalanceResponse{BalancerRan: new(m.GetDryRun()), MovesCalculated: proto.Uint32(0), MovesExecuted: proto.Uint32(0)}, nil
	}
	moves, err := s.Cluster.Balance()
	return &hbasepb.BalanceResponse{
		BalancerRan: new(true), MovesCalculated: new(uint32(moves)), MovesExecuted: new(uint32(moves)),
	}, err
}

func (s *Server) setBalancer(m *hbasepb.SetBalancerRunningRequest) (proto.Message, error) {
	return &hbasepb.SetBalancerRunningResponse{PrevBalanceValue: new(s.Cluster.Balancing.Swap(m.GetOn()))}, nil
}

func (s *Server) isBalancer(*hbasepb.IsBalancerEnabledRequest) (proto.Message, error) {
	return &hbasepb.IsBalancerEnabledResponse{Enabled: new(s.Cluster.Balancing.Load())}, nil
}

func (s *Server) setSplitOrMerge(m *hbasepb.SetSplitOrMergeEnabledRequest) (proto.Message, error) {
	out := &hbasepb.SetSplitOrMergeEnabledResponse{}
	for _, which := range m.GetSwitchTypes() {
		out.PrevValue = append(out.PrevValue, s.which(which).Swap(m.GetEnabled()))
	}
	return out, nil
}

func (s *Server) isSplitOrMerge(m *hbasepb.IsSplitOrMergeEnabledRequest) (proto.Message, error) {
	return &hbasepb.IsSplitOrMergeEnabledResponse{Enabled: new(s.which(m.GetSwitchType()).Load())}, nil
}

func (s *Server) which(which hbasepb.MasterSwitch) *atomic.Bool {
	if which == hbasepb.MasterSwitch_MASTER_SWITCH_MERGE {
		return &s.Cluster.Merging
	}
	return &s.Cluster.Splitting
}

func (s *Server) setNormalizer(m *hbasepb.SetNormalizerRunningRequest) (proto.Message, error) {
	return &hbasepb.SetNormalizerRunningResponse{PrevNormalizerValue: new(s.Cluster.Normalizing.Swap(m.GetOn()))}, nil
}

func (s *Server) isNormalizer(*hbasepb.IsNormalizerEnabledRequest) (proto.Message, error) {
	return &hbasepb.IsNormalizerEnabledResponse{Enabled: new(s.Cluster.Normalizing.Load())}, nil
}
