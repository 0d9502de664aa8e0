package hbase

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// The kinds of mutation, as HBase's protocol numbers them.
const (
	mutateAppend    = 0
	mutateIncrement = 1
	mutatePut       = 2
	mutateDelete    = 3
)

// durabilities are numbered as HBase's protocol does.
func durabilities() map[string]byte {
	return map[string]byte{"USE_DEFAULT": 0, "SKIP_WAL": 1, "ASYNC_WAL": 2, "SYNC_WAL": 3, "FSYNC_WAL": 4}
}

// Requests are written by hand, field by field, into buffers that are used again: through messages each would cost
// a dozen allocations. Numbers are those of HBase's Client.proto; tests read what is written here with gohbase's
// messages.

func tag(out []byte, num protowire.Number) []byte {
	return protowire.AppendTag(out, num, protowire.BytesType)
}

func appendNumber(out []byte, num protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(out, num, protowire.VarintType), v)
}

func appendField(out []byte, num protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(tag(out, num), v)
}

func sizeField(n int) int { return 1 + protowire.SizeBytes(n) }

// regionField is the field that names a region in a request: always its first.
func regionField(name []byte) []byte {
	specifier := appendNumber(nil, 1, 1) // by its name
	return appendField(nil, 1, appendField(specifier, 2, name))
}

// columns is the field of a Get or Scan that asks for a family, or for some of its columns.
func appendColumns(out []byte, num protowire.Number, family []byte, fields [][]byte) []byte {
	size := sizeField(len(family))
	for _, f := range fields {
		size += sizeField(len(f))
	}
	out = protowire.AppendVarint(tag(out, num), uint64(size))
	out = appendField(out, 1, family)
	for _, f := range fields {
		out = appendField(out, 2, f)
	}
	return out
}

// appendGet appends a Get message. Columns is its field of them.
func appendGet(out, row, columns []byte) []byte {
	return append(appendField(out, 1, row), columns...)
}

// sizeGet is how long that is.
func sizeGet(row, columns []byte) int { return sizeField(len(row)) + len(columns) }

// appendGetRequest appends a GetRequest.
func appendGetRequest(out, region, row, columns []byte) []byte {
	out = append(out, region...)
	out = protowire.AppendVarint(tag(out, 2), uint64(sizeGet(row, columns)))
	return appendGet(out, row, columns)
}

// mutation is what a mutation's message says; its cells are sent beside it.
type mutation struct {
	kind       byte
	durability byte
	cells      int
	nonce      uint64 // 0 for none: the same one never takes effect twice
}

func appendMutation(out, row []byte, m mutation) []byte {
	out = appendField(out, 1, row)
	out = appendNumber(out, 2, uint64(m.kind))
	out = appendNumber(out, 6, uint64(m.durability))
	if m.cells > 0 {
		out = appendNumber(out, 8, uint64(m.cells))
	}
	if m.nonce != 0 {
		out = appendNumber(out, 9, m.nonce)
	}
	return out
}

func sizeMutation(row []byte, m mutation) int {
	n := sizeField(len(row)) + 4
	if m.cells > 0 {
		n += 1 + protowire.SizeVarint(uint64(m.cells))
	}
	if m.nonce != 0 {
		n += 1 + protowire.SizeVarint(m.nonce)
	}
	return n
}

// appendMutateRequest appends a MutateRequest. Condition is its field of one, or nil.
func appendMutateRequest(out, region, row []byte, m mutation, condition []byte, group uint64) []byte {
	out = append(out, region...)
	out = protowire.AppendVarint(tag(out, 2), uint64(sizeMutation(row, m)))
	out = appendMutation(out, row, m)
	out = append(out, condition...)
	if m.nonce != 0 {
		out = appendNumber(out, 4, group)
	}
	return out
}

// appendHas appends the field of a MutateRequest that makes it depend on there being a value in a column.
func appendHas(out, row, family, qualifier []byte) []byte {
	const notEqual, comparatorName = 3, "org.apache.hadoop.hbase.filter.BinaryComparator"
	// What is compared with is a value of no bytes, which HBase takes for no value.
	comparator := sizeField(len(comparatorName)) + sizeField(sizeField(sizeField(0)))
	size := sizeField(len(row)) + sizeField(len(family)) + sizeField(len(qualifier)) + 2 + sizeField(comparator)
	out = protowire.AppendVarint(tag(out, 3), uint64(size))
	out = appendField(out, 1, row)
	out = appendField(out, 2, family)
	out = appendField(out, 3, qualifier)
	out = appendNumber(out, 4, notEqual)
	out = protowire.AppendVarint(tag(out, 5), uint64(comparator))
	out = protowire.AppendString(tag(out, 1), comparatorName)
	out = protowire.AppendVarint(tag(out, 2), uint64(sizeField(sizeField(0))))
	out = protowire.AppendVarint(tag(out, 1), uint64(sizeField(0)))
	return appendField(out, 1, nil)
}

// scanned is what a scan asks for.
type scanned struct {
	columns []byte // the field of them
	filter  []byte // the field of it, or nil
	start   []byte
	rows    int
	bytes   int
	alone   bool // only the row start, all of it
}

// appendScanRequest appends a ScanRequest that opens a scanner, fetches, and closes it, all in one: what has no
// state on the server loses nothing when a region moves, and can be asked again.
//
// As Java's client does, it lets the server end a page in the middle of a row, and before any row was found: otherwise the
// server has no limit of time, and names no place to go on from.
func appendScanRequest(out, region []byte, s *scanned) []byte {
	out = append(out, region...)
	size := len(s.columns) + sizeField(len(s.start)) + len(s.filter) + 1 + protowire.SizeVarint(uint64(s.bytes))
	if s.alone {
		size += sizeField(len(s.start) + 1)
	} else {
		size += 6
	}
	out = protowire.AppendVarint(tag(out, 2), uint64(size))
	out = append(out, s.columns...)
	out = appendField(out, 3, s.start)
	if s.alone { // up to the next key that there can be
		out = protowire.AppendVarint(tag(out, 4), uint64(len(s.start)+1))
		out = append(append(out, s.start...), 0)
	}
	out = append(out, s.filter...)
	out = appendNumber(out, 10, uint64(s.bytes))
	if !s.alone {
		out = appendNumber(out, 23, 2) // pread: a scanner that may become a stream ends its first page after 256 KiB for that
		out = appendNumber(out, 24, 1) // name the row where a limit ended the page
	}
	out = appendNumber(out, 4, uint64(s.rows))
	out = appendNumber(out, 5, 1) // close the scanner
	if !s.alone {
		out = appendNumber(out, 7, 1) // a row may be incomplete
		out = appendNumber(out, 8, 1) // a page may be empty
	}
	return out
}

// appendPut appends a cell whose time the server sets.
func appendPut(out, row, family, qualifier, value []byte) []byte {
	return protocol.AppendCell(out, &protocol.Cell{
		Row: row, Family: family, Qualifier: qualifier, Timestamp: protocol.LatestTimestamp, Type: protocol.TypePut, Value: value,
	})
}
