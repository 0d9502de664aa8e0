package meta

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

const (
	infoFamily  = "info"
	tableFamily = "table"
)

// emptyFamilies exist because clients ask for them; the sandbox stores nothing in them.
var emptyFamilies = []string{"rep_barrier", "ns"} //nolint:gochecknoglobals // a constant in effect

// magic precedes messages in cells and znodes.
const magic = "PBUF"

// Row is a row to write.
type Row struct {
	Key     []byte
	family  string
	columns map[string][]byte
}

// Location is the server of a region.
type Location struct {
	Host      string
	Port      int
	StartCode int64
	Name      string // host,port,startcode
}

// RegionRow returns the row of a region.
func RegionRow(info *store.RegionInfo, at Location, opened int64) Row {
	r := Row{Key: info.RegionName(), family: infoFamily, columns: map[string][]byte{
		"regioninfo":       append([]byte(magic), marshal(Message(info))...),
		"state":            []byte(info.State),
		"seqnumDuringOpen": binary.BigEndian.AppendUint64(nil, uint64(opened)),
	}}
	if at.Host != "" {
		r.columns["server"] = []byte(Address(at.Host, at.Port))
		r.columns["serverstartcode"] = binary.BigEndian.AppendUint64(nil, uint64(at.StartCode))
		r.columns["sn"] = []byte(at.Name)
	}
	return r
}

// AddReplicas adds to a region's row the servers of its replicas from 1; one without a host is not open.
func (r *Row) AddReplicas(servers []Location, opened int64) {
	for i, at := range servers {
		suffix := fmt.Sprintf("_%04X", i+1)
		if at.Host == "" {
			r.columns["state"+suffix] = []byte(store.Offline)
			continue
		}
		r.columns["state"+suffix] = []byte(store.Online)
		r.columns["server"+suffix] = []byte(Address(at.Host, at.Port))
		r.columns["serverstartcode"+suffix] = binary.BigEndian.AppendUint64(nil, uint64(at.StartCode))
		r.columns["sn"+suffix] = []byte(at.Name)
		r.columns["seqnumDuringOpen"+suffix] = binary.BigEndian.AppendUint64(nil, uint64(opened))
	}
}

// TableRow returns the row with the state of a table.
func TableRow(table store.Name, enabled bool) Row {
	state := hbasepb.TableStateValue_TABLE_STATE_VALUE_DISABLED
	if enabled {
		state = hbasepb.TableStateValue_TABLE_STATE_VALUE_ENABLED
	}
	return Row{Key: []byte(table.String()), family: tableFamily, columns: map[string][]byte{
		"state": marshal(&hbasepb.TableState{State: state.Enum()}),
	}}
}

// Message returns a region in its protobuf form.
func Message(info *store.RegionInfo) *hbasepb.RegionInfo {
	return &hbasepb.RegionInfo{
		RegionId:  new(uint64(info.ID)),
		TableName: TableName(info.Table),
		StartKey:  notNil(info.Start),
		EndKey:    notNil(info.End),
		Offline:   new(false),
		Split:     new(false),
		ReplicaId: proto.Int32(0),
	}
}

// Self is the region of hbase:meta itself.
func Self() *hbasepb.RegionInfo {
	return Message(&store.RegionInfo{Table: store.Name{Namespace: store.SystemNamespace, Qualifier: "meta"}, ID: 1})
}

// TableName returns a table's name in its protobuf form.
func TableName(n store.Name) *hbasepb.TableName {
	if n.Namespace == "" {
		n.Namespace = store.DefaultNamespace
	}
	return &hbasepb.TableName{Namespace: []byte(n.Namespace), Qualifier: []byte(n.Qualifier)}
}

// Address is host:port in hbase:meta's form.
func Address(host string, port int) string {
	return host + ":" + strconv.Itoa(port)
}

func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func marshal(m proto.Message) []byte {
	b, err := (proto.MarshalOptions{Deterministic: true}).Marshal(m)
	if err != nil {
		panic("encode " + string(m.ProtoReflect().Descriptor().Name()) + ": " + err.Error()) // cannot happen: the message is complete
	}
	return b
}

func (r *Row) cells() []protocol.Cell {
	now := time.Now().UnixMilli()
	cells := make([]protocol.Cell, 0, len(r.columns))
	for qualifier, value := range r.columns {
		cells = append(cells, protocol.Cell{
			Row: r.Key, Family: []byte(r.family), Qualifier: []byte(qualifier), Timestamp: now, Type: protocol.TypePut, Value: value,
		})
	}
	slices.SortFunc(cells, func(a, b protocol.Cell) int { return bytes.Compare(a.Qualifier, b.Qualifier) })
	return cells
}
