package hbase

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// The fields of a Get and a Scan with their consistency, and the value that lets replicas answer.
const (
	getConsistency      = 12
	scanConsistency     = 16
	timelineConsistency = 1
)

// The kinds of mutation, as HBase's protocol numbers them.
const (
	mutateAppend    = 0
	mutateIncrement = 1
	mutatePut       = 2
	mutateDelete    = 3
)

// durabilities maps durabilities to their numbers in HBase's protocol.
func durabilities() map[string]byte {
	return map[string]byte{"USE_DEFAULT": 0, "SKIP_WAL": 1, "ASYNC_WAL": 2, "SYNC_WAL": 3, "FSYNC_WAL": 4}
}

// Requests are encoded by hand, field by field, into reused buffers: generated messages would cost a dozen allocations each.
// Field numbers are those of HBase's Client.proto; tests decode the requests with gohbase's messages.

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

// regionField returns the field that names a region in a request: always its first.
func regionField(name []byte) []byte {
	specifier := appendNumber(nil, 1, 1) // by its name
	return appendField(nil, 1, appendField(specifier, 2, name))
}

// appendColumns appends the field of a Get or Scan that selects a family or some of its columns.
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

// appendGet appends a Get message. Columns is its columns field.
func appendGet(out, row, columns []byte) []byte {
	return append(appendField(out, 1, row), columns...)
}

// sizeGet returns the length of a Get message.
func sizeGet(row, columns []byte) int { return sizeField(len(row)) + len(columns) }

// appendGetRequest appends a GetRequest.
func appendGetRequest(out, region, row, columns []byte) []byte {
	out = append(out, region...)
	out = protowire.AppendVarint(tag(out, 2), uint64(sizeGet(row, columns)))
	return appendGet(out, row, columns)
}

// mutation has the fields of a mutation's message. Its cells are sent separately.
type mutation struct {
	kind       byte
	durability byte
	cells      int
	nonce      uint64 // 0 for none; the server applies a nonce only once
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

// appendMutateRequest appends a MutateRequest. Condition is its condition field, or nil.
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

// appendHas appends the condition field of a MutateRequest that requires a value in a column.
func appendHas(out, row, family, qualifier []byte) []byte {
	const lessOrEqual, comparatorName = 1, "org.apache.hadoop.hbase.filter.BinaryComparator"
	// The operand is the least value that is not empty. "Not equal to an empty value", which means the same in HBase 2, is true
	// for no value in HBase 1.4.
	operand := [1]byte{0}
	comparator := sizeField(len(comparatorName)) + sizeField(sizeField(sizeField(len(operand))))
	size := sizeField(len(row)) + sizeField(len(family)) + sizeField(len(qualifier)) + 2 + sizeField(comparator)
	out = protowire.AppendVarint(tag(out, 3), uint64(size))
	out = appendField(out, 1, row)
	out = appendField(out, 2, family)
	out = appendField(out, 3, qualifier)
	out = appendNumber(out, 4, lessOrEqual)
	out = protowire.AppendVarint(tag(out, 5), uint64(comparator))
	out = protowire.AppendString(tag(out, 1), comparatorName)
	out = protowire.AppendVarint(tag(out, 2), uint64(sizeField(sizeField(len(operand)))))
	out = protowire.AppendVarint(tag(out, 1), uint64(sizeField(len(operand))))
	return appendField(out, 1, operand[:])
}

// scanned has the parameters of a scan's page.
type scanned struct {
	columns []byte // the columns field
	filter  []byte // the filter field, or nil
	start   []byte
	rows    int
	bytes   int
	alone   bool // only the row start, completely
}

// appendScanRequest appends a ScanRequest that opens a scanner, fetches a page and closes the scanner. A page without state on
// the server loses nothing when a region moves, and can be requested again.
//
// Like HBase's Java client, it allows the server to end a page within a row or before the first row: otherwise the server has no
// time limit and does not return a row to continue from.
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
	if s.alone { // up to the next possible key
		out = protowire.AppendVarint(tag(out, 4), uint64(len(s.start)+1))
		out = append(append(out, s.start...), 0)
	}
	out = append(out, s.filter...)
	out = appendNumber(out, 10, uint64(s.bytes))
	if !s.alone {
		out = appendNumber(out, 23, 2) // pread: a scanner that may switch to streaming ends its first page after 256 KiB
		out = appendNumber(out, 24, 1) // return the row where a limit ended the page
	}
	out = appendNumber(out, 4, uint64(s.rows))
	out = appendNumber(out, 5, 1) // close the scanner
	if !s.alone {
		out = appendNumber(out, 7, 1) // a row may be incomplete
		out = appendNumber(out, 8, 1) // a page may be empty
	}
	return out
}

// sizePut returns the length of a cell without its qualifier and its value.
func (s *session) sizePut(row []byte) int {
	return protocol.Prefix + (&protocol.Cell{Row: row, Family: s.t.family}).Size()
}

// appendPuts appends the session's cells, which are of one row.
func (s *session) appendPuts(out, row []byte) []byte {
	size := len(s.cells) * s.sizePut(row)
	for _, c := range s.cells {
		size += len(c[0]) + len(c[1])
	}
	out = s.t.memory.Grow(out, size)
	for _, c := range s.cells {
		out = appendPut(out, row, s.t.family, c[0], c[1])
	}
	return out
}

// appendPut appends a cell whose time the server sets.
func appendPut(out, row, family, qualifier, value []byte) []byte {
	return protocol.AppendCell(out, &protocol.Cell{
		Row: row, Family: family, Qualifier: qualifier, Timestamp: protocol.LatestTimestamp, Type: protocol.TypePut, Value: value,
	})
}
