package master

import (
	"slices"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/store"
)

func (s *Server) createTable(m *hbasepb.CreateTableRequest) (proto.Message, error) {
	t, err := tableOf(m.GetTableSchema())
	if err != nil {
		return nil, err
	}
	if t.Name.Namespace == store.SystemNamespace {
		return nil, rpc.Finalf(finalIO, "namespace %s is reserved for HBase", store.SystemNamespace)
	}
	if err := s.Cluster.Create(t, m.GetSplitKeys()); err != nil {
		return nil, err
	}
	return &hbasepb.CreateTableResponse{ProcId: s.procedures.done()}, nil
}

func (s *Server) deleteTable(m *hbasepb.DeleteTableRequest) (proto.Message, error) {
	if err := s.Cluster.Delete(tableName(m.GetTableName())); err != nil {
		return nil, err
	}
	return &hbasepb.DeleteTableResponse{ProcId: s.procedures.done()}, nil
}

func (s *Server) truncateTable(m *hbasepb.TruncateTableRequest) (proto.Message, error) {
	if err := s.Cluster.Truncate(tableName(m.GetTableName()), m.GetPreserveSplits()); err != nil {
		return nil, err
	}
	return &hbasepb.TruncateTableResponse{ProcId: s.procedures.done()}, nil
}

func (s *Server) enableTable(m *hbasepb.EnableTableRequest) (proto.Message, error) {
	if err := s.Cluster.Enable(tableName(m.GetTableName())); err != nil {
		return nil, err
	}
	return &hbasepb.EnableTableResponse{ProcId: s.procedures.done()}, nil
}

func (s *Server) disableTable(m *hbasepb.DisableTableRequest) (proto.Message, error) {
	if err := s.Cluster.Disable(tableName(m.GetTableName())); err != nil {
		return nil, err
	}
	return &hbasepb.DisableTableResponse{ProcId: s.procedures.done()}, nil
}

func (s *Server) modifyTable(m *hbasepb.ModifyTableRequest) (proto.Message, error) {
	schema := m.GetTableSchema()
	if schema == nil {
		return nil, rpc.Finalf(finalIO, "the request has no schema for table %s", tableName(m.GetTableName()))
	}
	schema.TableName = m.GetTableName()
	if err := s.modify(schema); err != nil {
		return nil, err
	}
	return &hbasepb.ModifyTableResponse{ProcId: s.procedures.done()}, nil
}

func (s *Server) modify(schema *hbasepb.TableSchema) error {
	t, err := tableOf(schema)
	if err != nil {
		return err
	}
	return s.Cluster.Modify(t)
}

// families changes the column families of a table's schema.
func (s *Server) families(name *hbasepb.TableName, change func(families []*hbasepb.ColumnFamilySchema) ([]*hbasepb.ColumnFamilySchema, error)) error {
	t, err := s.Cluster.Store().Table(tableName(name))
	if err != nil {
		return err
	}
	schema, err := schemaOf(&t)
	if err != nil {
		return err
	}
	if schema.ColumnFamilies, err = change(schema.ColumnFamilies); err != nil {
		return err
	}
	return s.modify(schema)
}

func at(families []*hbasepb.ColumnFamilySchema, name []byte) int {
	return slices.IndexFunc(families, func(f *hbasepb.ColumnFamilySchema) bool { return string(f.GetName()) == string(name) })
}

func (s *Server) addColumn(m *hbasepb.AddColumnRequest) (proto.Message, error) {
	err := s.families(m.GetTableName(), func(all []*hbasepb.ColumnFamilySchema) ([]*hbasepb.ColumnFamilySchema, error) {
		if at(all, m.GetColumnFamilies().GetName()) >= 0 {
			return nil, rpc.Finalf(hbase+"InvalidFamilyOperationException", "column family %q exists already", m.GetColumnFamilies().GetName())
		}
		return append(all, m.GetColumnFamilies()), nil
	})
	if err != nil {
		return nil, err
	}
	return &hbasepb.AddColumnResponse{ProcId: s.procedures.done()}, nil
}

func (s *Server) modifyColumn(m *hbasepb.ModifyColumnRequest) (proto.Message, error) {
	err := s.families(m.GetTableName(), func(all []*hbasepb.ColumnFamilySchema) ([]*hbasepb.ColumnFamilySchema, error) {
		i := at(all, m.GetColumnFamilies().GetName())
		if i < 0 {
			return nil, missing(m.GetColumnFamilies().GetName())
		}
		all[i] = m.GetColumnFamilies()
		return all, nil
	})
	if err != nil {
		return nil, err
	}
	return &hbasepb.ModifyColumnResponse{ProcId: s.procedures.done()}, nil
}

func (s *Server) deleteColumn(m *hbasepb.DeleteColumnRequest) (proto.Message, error) {
	err := s.families(m.GetTableName(), func(all []*hbasepb.ColumnFamilySchema) ([]*hbasepb.ColumnFamilySchema, error) {
		i := at(all, m.GetColumnName())
		if i < 0 {
			return nil, missing(m.GetColumnName())
		}
		return slices.Delete(all, i, i+1), nil
	})
	if err != nil {
		return nil, err
	}
	return &hbasepb.DeleteColumnResponse{ProcId: s.procedures.done()}, nil
}

func missing(family []byte) error {
	return rpc.Finalf(hbase+"InvalidFamilyOperationException", "unknown column family %q", family)
}

func (s *Server) flushTable(m *hbasepb.FlushTableRequest) (proto.Message, error) {
	if err := s.flushAll(tableName(m.GetTableName())); err != nil {
		return nil, err
	}
	return &hbasepb.FlushTableResponse{ProcId: s.procedures.done()}, nil
}

// flushAll writes the memory of a table's regions to disk. All regions share one memory.
func (s *Server) flushAll(name store.Name) error {
	if name == metaName() {
		return nil
	}
	t, err := s.Cluster.Store().Table(name)
	if err != nil {
		return err
	}
	if t.State != store.Enabled {
		return rpc.Finalf(hbase+"TableNotEnabledException", "%s", name)
	}
	return s.Cluster.Store().Flush()
}

func (s *Server) alterStatus(m *hbasepb.GetSchemaAlterStatusRequest) (proto.Message, error) {
	regions, err := s.Cluster.Store().Regions(tableName(m.GetTableName()))
	if err != nil {
		return nil, err
	}
	return &hbasepb.GetSchemaAlterStatusResponse{YetToUpdateRegions: proto.Uint32(0), TotalRegions: new(uint32(len(regions)))}, nil
}
