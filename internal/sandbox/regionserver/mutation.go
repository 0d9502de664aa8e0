package regionserver

import (
	"encoding/binary"
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

// The attributes that change the effect of a mutation.
const (
	attributeTTL    = "_ttl"
	attributeReturn = "_rr_"
)

// maxTTL is the longest Go duration, in milliseconds.
const maxTTL = math.MaxInt64 / int64(time.Millisecond)

// block is the unread rest of a call's cell block.
type block struct {
	rest  []byte
	group uint64 // the call's nonce group
}

// change is a mutation with the facts that the store does not need.
type change struct {
	store.Mutation
	op     fault.Op
	nonce  cluster.Nonce // of an increment or append that must take effect once; zero for none
	silent bool          // the client does not want the new values
}

// changeOf makes a change from a message. It takes the mutation's cells from the block if they are there.
func (b *block) changeOf(p *hbasepb.MutationProto) (*change, error) {
	if p == nil {
		p = new(hbasepb.MutationProto) // has no row: the store refuses it
	}
	m := &change{Mutation: store.Mutation{Row: p.GetRow(), Times: timesOf(p.GetTimeRange())}}
	switch p.GetMutateType() {
	case hbasepb.MutationType_MUTATION_TYPE_PUT:
		m.Kind, m.op = store.Put, fault.Put
	case hbasepb.MutationType_MUTATION_TYPE_DELETE:
		m.Kind, m.op = store.Delete, fault.Delete
	case hbasepb.MutationType_MUTATION_TYPE_INCREMENT:
		m.Kind, m.op = store.Increment, fault.Increment
	case hbasepb.MutationType_MUTATION_TYPE_APPEND:
		m.Kind, m.op = store.Append, fault.Append
	}
	if p.GetNonce() != 0 && (m.Kind == store.Increment || m.Kind == store.Append) {
		m.nonce = cluster.Nonce{Group: b.group, Number: p.GetNonce()}
	}
	switch p.GetDurability() {
	case hbasepb.Durability_DURABILITY_SKIP_WAL, hbasepb.Durability_DURABILITY_ASYNC_WAL:
		m.Durability = store.Unsynced
	default:
		m.Durability = store.Synced
	}
	for _, a := range p.GetAttribute() {
		switch v := a.GetValue(); {
		case a.GetName() == attributeTTL && len(v) == 8:
			m.TTL = time.Duration(min(binary.BigEndian.Uint64(v), uint64(maxTTL))) * time.Millisecond
		case a.GetName() == attributeReturn && len(v) == 1:
			m.silent = v[0] == 0
		}
	}
	if n := int(p.GetAssociatedCellCount()); n > 0 {
		if err := b.take(m, n); err != nil {
			return nil, err
		}
	}
	at := int64(protocol.LatestTimestamp)
	if p.Timestamp != nil && p.GetTimestamp() <= math.MaxInt64 {
		at = int64(p.GetTimestamp())
		m.Timestamp = at
	}
	for _, family := range p.GetColumnValue() {
		for _, q := range family.GetQualifierValue() {
			c := protocol.Cell{Row: m.Row, Family: family.GetFamily(), Qualifier: q.GetQualifier(), Value: q.GetValue(), Timestamp: at, Type: protocol.TypePut}
			if q.Timestamp != nil && q.GetTimestamp() <= math.MaxInt64 {
				c.Timestamp = int64(q.GetTimestamp())
			}
			if m.Kind == store.Delete {
				c.Type = deleteType(q.GetDeleteType())
			}
			m.Cells = append(m.Cells, c)
		}
	}
	return m, nil
}

// take takes cells from the block. Their row must be the mutation's.
func (b *block) take(m *change, n int) error {
	if n > len(b.rest)/20 { // no cell is shorter
		return rpc.Finalf(finalIO, "a mutation of %d cells with a block of %d bytes", n, len(b.rest))
	}
	m.Cells = make([]protocol.Cell, n)
	for i := range m.Cells {
		c := &m.Cells[i]
		rest, err := protocol.NextCell(b.rest, c)
		// Clients send no tags in this encoding, and no timestamps before 1970.
		if err != nil || len(b.rest)-len(rest) != 4+c.Size() || c.Timestamp < 0 {
			return rpc.Finalf(finalIO, "malformed cell block")
		}
		b.rest = rest
		if m.Row == nil {
			m.Row = c.Row
		}
		if string(c.Row) != string(m.Row) {
			return rpc.Finalf(hbase+"regionserver.WrongRowIOException", "a cell of row %q in a mutation of row %q", c.Row, m.Row)
		}
	}
	return nil
}

func deleteType(t hbasepb.DeleteType) protocol.CellType {
	switch t {
	case hbasepb.DeleteType_DELETE_TYPE_DELETE_ONE_VERSION:
		return protocol.TypeDelete
	case hbasepb.DeleteType_DELETE_TYPE_DELETE_MULTIPLE_VERSIONS:
		return protocol.TypeDeleteColumn
	case hbasepb.DeleteType_DELETE_TYPE_DELETE_FAMILY_VERSION:
		return protocol.TypeDeleteFamilyVersion
	default:
		return protocol.TypeDeleteFamily
	}
}

// checkOf makes a check from a condition.
func checkOf(p *hbasepb.Condition) (*store.Check, error) {
	c := &store.Check{
		Row: p.GetRow(), Family: p.GetFamily(), Qualifier: p.GetQualifier(),
		Compare: filter.Op(p.GetCompareType()), Times: timesOf(p.GetTimeRange()),
	}
	var err error
	if c.Filter, err = filterOf(p.GetFilter()); err != nil {
		return nil, err
	}
	if p.Comparator != nil {
		c.Comparator, err = filter.ParseComparator(&pb.Comparator{
			Name: p.GetComparator().Name, SerializedComparator: p.GetComparator().SerializedComparator,
		})
		if err != nil {
			return nil, rpc.Finalf(finalIO, "%v", err)
		}
	}
	return c, nil
}
