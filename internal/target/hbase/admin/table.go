package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// Table is a table's descriptor, with HBase's names.
type Table struct {
	Name       string            `json:"name"` // NAMESPACE:NAME, or NAME of the namespace default
	Attributes map[string]string `json:"attributes,omitempty"`
	Families   []Family          `json:"families"`
}

// Family is a column family's descriptor. Attributes that are missing have HBase's defaults.
type Family struct {
	Name       string            `json:"name"`
	Attributes map[string]string `json:"attributes,omitempty"` // VERSIONS, COMPRESSION, BLOCKSIZE …
}

// Mark is the attribute of tables that benchd created; its value is the creator.
const Mark = "BENCHD"

// Marked reports whether benchd created the table.
func (t Table) Marked() bool { return t.Attributes[Mark] != "" }

// State is whether a table can be used.
type State string

// The states.
const (
	Enabled   State = "enabled"
	Disabled  State = "disabled"
	Enabling  State = "enabling"
	Disabling State = "disabling"
)

// String writes the descriptor on one line, as HBase's shell does.
func (t Table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "'%s'", t.Name)
	for _, k := range slices.Sorted(maps.Keys(t.Attributes)) {
		fmt.Fprintf(&b, ", %s => '%s'", k, t.Attributes[k])
	}
	for _, f := range t.Families {
		fmt.Fprintf(&b, ", {NAME => '%s'", f.Name)
		for _, k := range slices.Sorted(maps.Keys(f.Attributes)) {
			fmt.Fprintf(&b, ", %s => '%s'", k, f.Attributes[k])
		}
		b.WriteByte('}')
	}
	return b.String()
}

// Describe returns a table's descriptor; the error is ErrNoTable when there is none.
func (c *Client) Describe(ctx context.Context, table string) (Table, error) {
	tables, err := c.tables(ctx, &hbasepb.GetTableDescriptorsRequest{TableNames: []*hbasepb.TableName{tableName(table)}})
	switch {
	case err != nil:
		return Table{}, fmt.Errorf("describe table %s: %w", table, err)
	case len(tables) == 0:
		return Table{}, fmt.Errorf("describe table %s: %w", table, ErrNoTable)
	}
	return tables[0], nil
}

// Exists reports whether there is a table.
func (c *Client) Exists(ctx context.Context, table string) (bool, error) {
	_, err := c.Describe(ctx, table)
	if errors.Is(err, ErrNoTable) || errors.Is(err, ErrNoNamespace) {
		return false, nil
	}
	return err == nil, err
}

// Tables lists the users' tables by name.
func (c *Client) Tables(ctx context.Context) ([]Table, error) {
	all := ".*"
	tables, err := c.tables(ctx, &hbasepb.GetTableDescriptorsRequest{Regex: &all})
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	slices.SortFunc(tables, func(a, b Table) int { return strings.Compare(a.Name, b.Name) })
	return tables, nil
}

func (c *Client) tables(ctx context.Context, request *hbasepb.GetTableDescriptorsRequest) ([]Table, error) {
	response := &hbasepb.GetTableDescriptorsResponse{}
	if err := c.query(ctx, "GetTableDescriptors", request, response); err != nil {
		return nil, err
	}
	tables := make([]Table, 0, len(response.GetTableSchema()))
	for _, schema := range response.GetTableSchema() {
		tables = append(tables, fromSchema(schema))
	}
	return tables, nil
}

// State reports whether a table is enabled.
func (c *Client) State(ctx context.Context, table string) (State, error) {
	r, err := c.release(ctx)
	var state State
	switch {
	case err != nil:
	case r.isOne():
		state, err = c.stateInZooKeeper(ctx, table)
	default:
		state, err = c.stateOfMaster(ctx, table)
	}
	if err != nil {
		return "", fmt.Errorf("read state of table %s: %w", table, err)
	}
	return state, nil
}

// stateOfMaster asks the master of HBase 2 for the state of a table.
func (c *Client) stateOfMaster(ctx context.Context, table string) (State, error) {
	response := &hbasepb.GetTableStateResponse{}
	if err := c.query(ctx, "GetTableState", &hbasepb.GetTableStateRequest{TableName: tableName(table)}, response); err != nil {
		return "", err
	}
	switch response.GetTableState().GetState() {
	case hbasepb.TableStateValue_TABLE_STATE_VALUE_DISABLED:
		return Disabled, nil
	case hbasepb.TableStateValue_TABLE_STATE_VALUE_DISABLING:
		return Disabling, nil
	case hbasepb.TableStateValue_TABLE_STATE_VALUE_ENABLING:
		return Enabling, nil
	case hbasepb.TableStateValue_TABLE_STATE_VALUE_ENABLED:
	}
	return Enabled, nil
}

// Create creates a table with the given split points, and its namespace if that is missing, and waits until all regions are
// open.
func (c *Client) Create(ctx context.Context, table Table, splits [][]byte) error {
	if err := c.ensureNamespace(ctx, table.Name); err != nil {
		return fmt.Errorf("create table %s: %w", table.Name, err)
	}
	r, err := c.release(ctx)
	if err != nil {
		return fmt.Errorf("create table %s: %w", table.Name, err)
	}
	splits = slices.SortedFunc(slices.Values(splits), bytes.Compare)
	response := &hbasepb.CreateTableResponse{}
	err = c.change(ctx, "CreateTable", &hbasepb.CreateTableRequest{TableSchema: r.complete(table.schema()), SplitKeys: splits}, response)
	if err == nil {
		err = c.procedure(ctx, response.GetProcId())
	}
	if err == nil {
		err = c.WaitOpen(ctx, table.Name)
	}
	if err != nil {
		return fmt.Errorf("create table %s: %w", table.Name, err)
	}
	return nil
}

// ensureNamespace creates the namespace of a table if it does not exist.
func (c *Client) ensureNamespace(ctx context.Context, table string) error {
	namespace, _ := splitName(table)
	if namespace == defaultNamespace {
		return nil
	}
	err := c.query(ctx, "GetNamespaceDescriptor", &hbasepb.GetNamespaceDescriptorRequest{NamespaceName: &namespace}, &hbasepb.GetNamespaceDescriptorResponse{})
	if !errors.Is(err, ErrNoNamespace) {
		return err
	}
	response := &hbasepb.CreateNamespaceResponse{}
	err = c.change(ctx, "CreateNamespace", &hbasepb.CreateNamespaceRequest{
		NamespaceDescriptor: &hbasepb.NamespaceDescriptor{Name: []byte(namespace)},
	}, response)
	if err == nil {
		err = c.procedure(ctx, response.GetProcId())
	}
	if err != nil {
		return fmt.Errorf("create namespace %s: %w", namespace, err)
	}
	return nil
}

// Enable enables a table and waits until all its regions are open. It does nothing to an enabled table.
func (c *Client) Enable(ctx context.Context, table string) error {
	response := &hbasepb.EnableTableResponse{}
	err := c.change(ctx, "EnableTable", &hbasepb.EnableTableRequest{TableName: tableName(table)}, response)
	switch {
	case err == nil:
		err = c.procedure(ctx, response.GetProcId())
	case errors.Is(err, ErrEnabled):
		err = nil
	}
	if err == nil {
		err = c.WaitOpen(ctx, table)
	}
	if err != nil {
		return fmt.Errorf("enable table %s: %w", table, err)
	}
	return nil
}

// Disable disables a table and waits until that is done. It does nothing to a disabled table.
func (c *Client) Disable(ctx context.Context, table string) error {
	response := &hbasepb.DisableTableResponse{}
	err := c.change(ctx, "DisableTable", &hbasepb.DisableTableRequest{TableName: tableName(table)}, response)
	switch {
	case err == nil:
		err = c.procedure(ctx, response.GetProcId())
	case errors.Is(err, ErrDisabled):
		err = nil
	}
	if err != nil {
		return fmt.Errorf("disable table %s: %w", table, err)
	}
	return nil
}

// Drop disables and deletes a table.
func (c *Client) Drop(ctx context.Context, table string) error {
	if err := c.Disable(ctx, table); err != nil {
		return fmt.Errorf("drop: %w", err)
	}
	response := &hbasepb.DeleteTableResponse{}
	err := c.change(ctx, "DeleteTable", &hbasepb.DeleteTableRequest{TableName: tableName(table)}, response)
	if err == nil {
		err = c.procedure(ctx, response.GetProcId())
	}
	if err != nil {
		return fmt.Errorf("drop table %s: %w", table, err)
	}
	return nil
}

// Truncate deletes a table's rows. With keepSplits it keeps the regions' bounds. The table is enabled afterwards.
func (c *Client) Truncate(ctx context.Context, table string, keepSplits bool) error {
	if err := c.Disable(ctx, table); err != nil {
		return fmt.Errorf("truncate: %w", err)
	}
	response := &hbasepb.TruncateTableResponse{}
	err := c.change(ctx, "truncateTable", &hbasepb.TruncateTableRequest{TableName: tableName(table), PreserveSplits: &keepSplits}, response)
	if err == nil {
		err = c.procedure(ctx, response.GetProcId())
	}
	if err == nil {
		err = c.WaitOpen(ctx, table)
	}
	if err != nil {
		return fmt.Errorf("truncate table %s: %w", table, err)
	}
	return nil
}

const defaultNamespace = "default"

// splitName splits a table's name into namespace and qualifier.
func splitName(table string) (namespace, qualifier string) {
	if namespace, qualifier, ok := strings.Cut(table, ":"); ok {
		return namespace, qualifier
	}
	return defaultNamespace, table
}

func tableName(table string) *hbasepb.TableName {
	namespace, qualifier := splitName(table)
	return &hbasepb.TableName{Namespace: []byte(namespace), Qualifier: []byte(qualifier)}
}

func nameOf(n *hbasepb.TableName) string {
	if namespace := string(n.GetNamespace()); namespace != "" && namespace != defaultNamespace {
		return namespace + ":" + string(n.GetQualifier())
	}
	return string(n.GetQualifier())
}

var tablePattern = regexp.MustCompile(`^([A-Za-z0-9_]+:)?[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// CheckName validates a table's name.
func CheckName(table string) error {
	if !tablePattern.MatchString(table) {
		return fmt.Errorf("invalid table name %q: want NAME or NAMESPACE:NAME of letters, digits, '_', '-' and '.'", table)
	}
	return nil
}

func (t Table) schema() *hbasepb.TableSchema {
	s := &hbasepb.TableSchema{TableName: tableName(t.Name), Attributes: pairs(t.Attributes)}
	for _, f := range t.Families {
		s.ColumnFamilies = append(s.ColumnFamilies, &hbasepb.ColumnFamilySchema{Name: []byte(f.Name), Attributes: pairs(f.Attributes)})
	}
	return s
}

func fromSchema(s *hbasepb.TableSchema) Table {
	t := Table{Name: nameOf(s.GetTableName()), Attributes: fromPairs(s.GetAttributes(), s.GetConfiguration())}
	for _, f := range s.GetColumnFamilies() {
		t.Families = append(t.Families, Family{Name: string(f.GetName()), Attributes: fromPairs(f.GetAttributes(), f.GetConfiguration())})
	}
	return t
}

func pairs(attributes map[string]string) []*hbasepb.BytesBytesPair {
	var out []*hbasepb.BytesBytesPair
	for _, k := range slices.Sorted(maps.Keys(attributes)) {
		out = append(out, &hbasepb.BytesBytesPair{First: []byte(k), Second: []byte(attributes[k])})
	}
	return out
}

func fromPairs(attributes []*hbasepb.BytesBytesPair, configuration []*hbasepb.NameStringPair) map[string]string {
	out := make(map[string]string, len(attributes)+len(configuration))
	for _, p := range attributes {
		out[string(p.GetFirst())] = string(p.GetSecond())
	}
	for _, p := range configuration {
		out[p.GetName()] = p.GetValue()
	}
	return out
}
