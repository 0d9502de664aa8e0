package regionserver

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// The answers for single rows are so short that they are written without a message.

// appendGetResponse appends a GetResponse, or a MutateResponse, with a result.
func appendGetResponse(b, result []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, 1, protowire.BytesType), result)
}

// appendCount appends a Result whose cells are in the cell block.
func appendCount(b []byte, cells int) []byte {
	if cells == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), uint64(cells))
}

// appendExists appends a Result with whether a row exists.
func appendExists(b []byte, exists bool) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, 3, protowire.VarintType), protowire.EncodeBool(exists))
}

// appendStale appends to a Result whether a replica has answered.
func appendStale(b []byte, stale bool) []byte {
	if !stale {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, 4, protowire.VarintType), 1)
}

// markStale sets whether a replica has answered.
func markStale(r *hbasepb.Result, stale bool) *hbasepb.Result {
	if stale {
		r.Stale = &stale
	}
	return r
}

// appendProcessed appends to a MutateResponse whether the mutation was carried out.
func appendProcessed(b []byte, processed bool) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), protowire.EncodeBool(processed))
}

func appendCells(block []byte, cells []protocol.Cell) []byte {
	for i := range cells {
		block = protocol.AppendCell(block, &cells[i])
	}
	return block
}

// plainResult returns a Result with its cells, for clients without cell blocks. It copies the cells, because their
// memory is reused before the answer is encoded.
func plainResult(cells []protocol.Cell) *hbasepb.Result {
	r := &hbasepb.Result{Cell: make([]*hbasepb.Cell, len(cells))}
	for i := range cells {
		c := &cells[i]
		r.Cell[i] = &hbasepb.Cell{
			Row: bytes.Clone(c.Row), Family: bytes.Clone(c.Family), Qualifier: bytes.Clone(c.Qualifier), Value: bytes.Clone(c.Value),
			Timestamp: new(uint64(c.Timestamp)), CellType: hbasepb.CellType(c.Type).Enum(),
		}
	}
	return r
}

// resultOf returns a Result whose cells are inside or in the cell block.
func resultOf(cells []protocol.Cell, plain bool, block []byte) (*hbasepb.Result, []byte) {
	if plain {
		return plainResult(cells), block
	}
	r := &hbasepb.Result{}
	if len(cells) > 0 {
		r.AssociatedCellCount = new(int32(len(cells)))
	}
	return r, appendCells(block, cells)
}

// exceptionOf returns an exception in the form of batch answers.
func exceptionOf(err error) *hbasepb.NameBytesPair {
	e := rpc.AsException(err)
	return &hbasepb.NameBytesPair{Name: new(e.Class), Value: []byte(e.Printed())}
}
