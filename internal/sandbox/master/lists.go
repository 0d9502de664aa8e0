package master

import (
	"regexp"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/store"
)

// choose lists the tables that pass want, hbase:meta first.
func (s *Server) choose(system bool, want func(store.Name, store.TableState) bool) ([]*hbasepb.TableSchema, error) {
	var all []*hbasepb.TableSchema
	if system && want(metaName(), store.Enabled) {
		all = append(all, metaSchema())
	}
	for _, t := range s.Cluster.Store().Tables() {
		if !want(t.Name, t.State) {
			continue
		}
		schema, err := schemaOf(&t)
		if err != nil {
			return nil, err
		}
		all = append(all, schema)
	}
	return all, nil
}

func namesOf(schemas []*hbasepb.TableSchema) []*hbasepb.TableName {
	names := make([]*hbasepb.TableName, len(schemas))
	for i, schema := range schemas {
		names[i] = schema.GetTableName()
	}
	return names
}

// pattern makes a condition from the patterns of a list request. A table of the default namespace matches with and
// without its namespace.
func pattern(expression, namespace string) (func(store.Name, store.TableState) bool, error) {
	if expression == "" {
		expression = ".*"
	}
	re, err := regexp.Compile("^(?:" + expression + ")$")
	if err != nil {
		return nil, rpc.Finalf("java.util.regex.PatternSyntaxException", "%q: %v", expression, err)
	}
	return func(n store.Name, _ store.TableState) bool {
		if namespace != "" && n.Namespace != namespace {
			return false
		}
		return re.MatchString(n.String()) || n.Namespace == store.DefaultNamespace && re.MatchString(n.Namespace+":"+n.Qualifier)
	}, nil
}

func (s *Server) tableDescriptors(m *hbasepb.GetTableDescriptorsRequest) (proto.Message, error) {
	if len(m.GetTableNames()) > 0 {
		named := map[store.Name]bool{}
		for _, n := range m.GetTableNames() {
			named[tableName(n)] = true
		}
		all, err := s.choose(true, func(n store.Name, _ store.TableState) bool { return named[n] })
		return &hbasepb.GetTableDescriptorsResponse{TableSchema: all}, err
	}
	want, err := pattern(m.GetRegex(), m.GetNamespace())
	if err != nil {
		return nil, err
	}
	all, err := s.choose(m.GetIncludeSysTables(), want)
	return &hbasepb.GetTableDescriptorsResponse{TableSchema: all}, err
}

func (s *Server) tableNames(m *hbasepb.GetTableNamesRequest) (proto.Message, error) {
	want, err := pattern(m.GetRegex(), m.GetNamespace())
	if err != nil {
		return nil, err
	}
	all, err := s.choose(m.GetIncludeSysTables(), want)
	return &hbasepb.GetTableNamesResponse{TableNames: namesOf(all)}, err
}

func (s *Server) tableState(m *hbasepb.GetTableStateRequest) (proto.Message, error) {
	state := hbasepb.TableStateValue_TABLE_STATE_VALUE_ENABLED
	if name := tableName(m.GetTableName()); name != metaName() {
		t, err := s.Cluster.Store().Table(name)
		if err != nil {
			return nil, err
		}
		if t.State != store.Enabled {
			state = hbasepb.TableStateValue_TABLE_STATE_VALUE_DISABLED
		}
	}
	return &hbasepb.GetTableStateResponse{TableState: &hbasepb.TableState{State: state.Enum()}}, nil
}

func byState(enabled bool) func(store.Name, store.TableState) bool {
	return func(_ store.Name, state store.TableState) bool { return (state == store.Enabled) == enabled }
}

func (s *Server) descriptorsByState(m *hbasepb.ListTableDescriptorsByStateRequest) (proto.Message, error) {
	all, err := s.choose(false, byState(m.GetIsEnabled()))
	return &hbasepb.ListTableDescriptorsByStateResponse{TableSchema: all}, err
}

func (s *Server) namesByState(m *hbasepb.ListTableNamesByStateRequest) (proto.Message, error) {
	all, err := s.choose(false, byState(m.GetIsEnabled()))
	return &hbasepb.ListTableNamesByStateResponse{TableNames: namesOf(all)}, err
}

// in lists the tables of a namespace that must exist.
func (s *Server) in(namespace string) ([]*hbasepb.TableSchema, error) {
	if _, err := s.find(namespace); err != nil {
		return nil, err
	}
	return s.choose(true, func(n store.Name, _ store.TableState) bool { return n.Namespace == namespace })
}

func (s *Server) descriptorsByNamespace(m *hbasepb.ListTableDescriptorsByNamespaceRequest) (proto.Message, error) {
	all, err := s.in(m.GetNamespaceName())
	return &hbasepb.ListTableDescriptorsByNamespaceResponse{TableSchema: all}, err
}

func (s *Server) namesByNamespace(m *hbasepb.ListTableNamesByNamespaceRequest) (proto.Message, error) {
	all, err := s.in(m.GetNamespaceName())
	return &hbasepb.ListTableNamesByNamespaceResponse{TableName: namesOf(all)}, err
}

// Namespaces.

func (s *Server) find(name string) (*hbasepb.NamespaceDescriptor, error) {
	for _, n := range s.Cluster.Store().Namespaces() {
		if n.Name == name {
			return descriptorOf(&n)
		}
	}
	return nil, rpc.Finalf(hbase+"NamespaceNotFoundException", "%s", name)
}

func descriptorOf(n *store.Namespace) (*hbasepb.NamespaceDescriptor, error) {
	d := &hbasepb.NamespaceDescriptor{}
	if err := proto.Unmarshal(n.Descriptor, d); err != nil {
		return nil, err
	}
	d.Name = []byte(n.Name)
	return d, nil
}

func namespaceOf(d *hbasepb.NamespaceDescriptor) (store.Namespace, error) {
	name := string(d.GetName())
	if err := legal(store.Name{Namespace: name, Qualifier: "t"}); err != nil {
		return store.Namespace{}, rpc.Finalf("java.lang.IllegalArgumentException", "illegal name %q of a namespace", name)
	}
	descriptor, err := proto.Marshal(d)
	return store.Namespace{Name: name, Descriptor: descriptor}, err
}

func (s *Server) createNamespace(m *hbasepb.CreateNamespaceRequest) (proto.Message, error) {
	n, err := namespaceOf(m.GetNamespaceDescriptor())
	if err != nil {
		return nil, err
	}
	if err := s.Cluster.Store().CreateNamespace(n); err != nil {
		return nil, err
	}
	return &hbasepb.CreateNamespaceResponse{ProcId: s.procedures.done()}, nil
}

func (s *Server) modifyNamespace(m *hbasepb.ModifyNamespaceRequest) (proto.Message, error) {
	n, err := namespaceOf(m.GetNamespaceDescriptor())
	if err != nil {
		return nil, err
	}
	if err := s.Cluster.Store().ModifyNamespace(n); err != nil {
		return nil, err
	}
	return &hbasepb.ModifyNamespaceResponse{ProcId: s.procedures.done()}, nil
}

func (s *Server) deleteNamespace(m *hbasepb.DeleteNamespaceRequest) (proto.Message, error) {
	if err := s.Cluster.Store().DeleteNamespace(m.GetNamespaceName()); err != nil {
		return nil, err
	}
	return &hbasepb.DeleteNamespaceResponse{ProcId: s.procedures.done()}, nil
}

func (s *Server) namespace(m *hbasepb.GetNamespaceDescriptorRequest) (proto.Message, error) {
	d, err := s.find(m.GetNamespaceName())
	return &hbasepb.GetNamespaceDescriptorResponse{NamespaceDescriptor: d}, err
}

func (s *Server) namespaceNames(*hbasepb.ListNamespacesRequest) (proto.Message, error) {
	out := &hbasepb.ListNamespacesResponse{}
	for _, n := range s.Cluster.Store().Namespaces() {
		out.NamespaceName = append(out.NamespaceName, n.Name)
	}
	return out, nil
}

func (s *Server) namespaces(*hbasepb.ListNamespaceDescriptorsRequest) (proto.Message, error) {
	out := &hbasepb.ListNamespaceDescriptorsResponse{}
	for _, n := range s.Cluster.Store().Namespaces() {
		d, err := descriptorOf(&n)
		if err != nil {
			return nil, err
		}
		out.NamespaceDescriptor = append(out.NamespaceDescriptor, d)
	}
	return out, nil
}
