package master

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/store"
)

// takeSnapshot copies a table before it answers.
func (s *Server) takeSnapshot(m *hbasepb.SnapshotRequest) (proto.Message, error) {
	name := m.GetSnapshot().GetName()
	if err := legal(store.Name{Namespace: store.DefaultNamespace, Qualifier: name}); err != nil {
		return nil, rpc.Finalf("java.lang.IllegalArgumentException", "illegal snapshot name %q: letters, digits, _, - and . are allowed", name)
	}
	if err := s.Cluster.Store().TakeSnapshot(nameOf(m.GetSnapshot().GetTable()), name); err != nil {
		return nil, err
	}
	return &hbasepb.SnapshotResponse{ExpectedTimeout: proto.Int64(0)}, nil
}

func describeSnapshot(one *store.Snapshot) *hbasepb.SnapshotDescription {
	return &hbasepb.SnapshotDescription{
		Name: &one.Name, Table: new(one.Table.Name.String()), CreationTime: &one.Created,
		Type: hbasepb.SnapshotType_SNAPSHOT_TYPE_FLUSH.Enum(),
	}
}

func (s *Server) isSnapshotDone(m *hbasepb.IsSnapshotDoneRequest) (proto.Message, error) {
	one, err := s.snapshot(m.GetSnapshot().GetName())
	if err != nil {
		return nil, err
	}
	return &hbasepb.IsSnapshotDoneResponse{Done: new(true), Snapshot: describeSnapshot(one)}, nil
}

func (s *Server) snapshot(name string) (*store.Snapshot, error) {
	all := s.Cluster.Store().Snapshots()
	i, ok := slices.BinarySearchFunc(all, name, func(one store.Snapshot, name string) int { return strings.Compare(one.Name, name) })
	if !ok {
		return nil, rpc.Finalf(hbase+"snapshot.SnapshotDoesNotExistException", "snapshot not found: %s", name)
	}
	return &all[i], nil
}

func (s *Server) snapshots(*hbasepb.GetCompletedSnapshotsRequest) (proto.Message, error) {
	out := &hbasepb.GetCompletedSnapshotsResponse{}
	for _, one := range s.Cluster.Store().Snapshots() {
		out.Snapshots = append(out.Snapshots, describeSnapshot(&one))
	}
	return out, nil
}

// restoreSnapshot gives the snapshot's table its rows, or the table that the request names, as Java's clients do.
func (s *Server) restoreSnapshot(m *hbasepb.RestoreSnapshotRequest) (proto.Message, error) {
	one, err := s.snapshot(m.GetSnapshot().GetName())
	if err != nil {
		return nil, err
	}
	table := one.Table.Name
	if name := m.GetSnapshot().GetTable(); name != "" {
		table = nameOf(name)
	}
	if err := s.Cluster.Restore(table, one.Name); err != nil {
		return nil, err
	}
	return &hbasepb.RestoreSnapshotResponse{ProcId: s.procedures.done()}, nil
}

func (s *Server) deleteSnapshot(m *hbasepb.DeleteSnapshotRequest) (proto.Message, error) {
	if err := s.Cluster.Store().DeleteSnapshot(m.GetSnapshot().GetName()); err != nil {
		return nil, err
	}
	return &hbasepb.DeleteSnapshotResponse{}, nil
}
