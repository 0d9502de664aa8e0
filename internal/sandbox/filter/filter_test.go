package filter_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/sandbox/filter"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

func message(name string, m proto.Message) *pb.Filter {
	b, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	return &pb.Filter{Name: new("org.apache.hadoop.hbase.filter." + name), SerializedFilter: b}
}

func comparator(name string, m proto.Message) *pb.Comparator {
	b, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	return &pb.Comparator{Name: new("org.apache.hadoop.hbase.filter." + name), SerializedComparator: b}
}

func equal(v string) *pb.Comparator {
	return comparator("BinaryComparator", &pb.BinaryComparator{Comparable: &pb.ByteArrayComparable{Value: []byte(v)}})
}

func compare(op pb.CompareType, by *pb.Comparator) *pb.CompareFilter {
	return &pb.CompareFilter{CompareOp: op.Enum(), Comparator: by}
}

func regex(text string, flags int32) *pb.Comparator {
	return comparator("RegexStringComparator", &pb.RegexStringComparator{
		Pattern: &text, PatternFlags: &flags, Charset: new("UTF-8"),
	})
}

func list(op pb.FilterList_Operator, filters ...*pb.Filter) *pb.Filter {
	return message("FilterList", &pb.FilterList{Operator: op.Enum(), Filters: filters})
}

// rows is the tests' data: rows a to e, each with the columns p1, p2 and q of family f, and x of family g. A value is
// its row and column; a timestamp is the number of the row.
func rows() [][]protocol.Cell {
	var all [][]protocol.Cell
	for i, row := range []string{"a", "b", "c", "d", "e"} {
		var cells []protocol.Cell
		for _, column := range []string{"fp1", "fp2", "fq", "gx"} {
			cells = append(cells, protocol.Cell{
				Row: []byte(row), Family: []byte(column[:1]), Qualifier: []byte(column[1:]), Timestamp: int64(i + 1), Type: protocol.TypePut,
				Value: []byte(row + column[1:]),
			})
		}
		all = append(all, cells)
	}
	return all
}

// passed runs a filter over rows like a reader, which reads each family separately, and names the cells that pass.
func passed(f filter.Filter, rows [][]protocol.Cell) (names []string) {
	for _, row := range rows {
		f.Reset()
		if f.AllRemaining() {
			break
		}
		if f.SkipRow(row[0].Row) {
			continue
		}
		var kept []protocol.Cell
		done := ""
		for _, c := range row {
			if done == string(c.Family) {
				continue
			}
			v := f.FilterCell(&c)
			if v.Takes() {
				f.Transform(&c)
				kept = append(kept, c)
			}
			switch v {
			case filter.NextRow, filter.IncludeNextRow:
				done = string(c.Family)
			case filter.SeekHint:
				hint, ok := f.Hint(&c)
				if ok && string(hint.Row) != string(c.Row) {
					done = string(c.Family)
				}
			default:
			}
		}
		if kept = f.RowCells(kept); len(kept) > 0 && f.DropRow() {
			continue
		}
		for _, c := range kept {
			names = append(names, string(c.Row)+string(c.Qualifier))
		}
	}
	return names
}

func TestFiltersPassTheSameCellsAsHBase(t *testing.T) {
	everything := "[ap1 ap2 aq ax bp1 bp2 bq bx cp1 cp2 cq cx dp1 dp2 dq dx ep1 ep2 eq ex]"
	single := func(op pb.CompareType, column, v string, missing bool) *pb.SingleColumnValueFilter {
		return &pb.SingleColumnValueFilter{
			ColumnFamily: []byte("f"), ColumnQualifier: []byte(column), CompareOp: op.Enum(), Comparator: equal(v),
			FilterIfMissing: &missing, LatestVersionOnly: new(true),
		}
	}
	for _, c := range []struct {
		name string
		m    *pb.Filter
		want string
	}{
		{"all", message("FilterAllFilter", &pb.FilterAllFilter{}), "[]"},
		{"page", message("PageFilter", &pb.PageFilter{PageSize: proto.Int64(1)}), "[ap1 ap2 aq ax]"},
		{"prefix", message("PrefixFilter", &pb.PrefixFilter{Prefix: []byte("b")}), "[bp1 bp2 bq bx]"},
		{"row less", message("RowFilter", &pb.RowFilter{CompareFilter: compare(pb.CompareType_LESS, equal("b"))}), "[ap1 ap2 aq ax]"},
		{"row greater or equal", message("RowFilter", &pb.RowFilter{CompareFilter: compare(pb.CompareType_GREATER_OR_EQUAL, equal("e"))}), "[ep1 ep2 eq ex]"},
		{"family", message("FamilyFilter", &pb.FamilyFilter{CompareFilter: compare(pb.CompareType_EQUAL, equal("g"))}), "[ax bx cx dx ex]"},
		{"family, none", message("FamilyFilter", &pb.FamilyFilter{CompareFilter: compare(pb.CompareType_NO_OP, equal("g"))}), "[]"},
		{"qualifier", message("QualifierFilter", &pb.QualifierFilter{CompareFilter: compare(pb.CompareType_EQUAL, equal("q"))}), "[aq bq cq dq eq]"},
		{"qualifier, not", message("QualifierFilter", &pb.QualifierFilter{CompareFilter: compare(pb.CompareType_NOT_EQUAL, regex("^p", 32))}), "[aq ax bq bx cq cx dq dx eq ex]"},
		{"column prefix", message("ColumnPrefixFilter", &pb.ColumnPrefixFilter{Prefix: []byte("q")}), "[aq bq cq dq eq]"},
		{"column prefixes", message("MultipleColumnPrefixFilter", &pb.MultipleColumnPrefixFilter{SortedPrefixes: [][]byte{[]byte("p2"), []byte("x")}}), "[ap2 ax bp2 bx cp2 cx dp2 dx ep2 ex]"},
		{"column range", message("ColumnRangeFilter", &pb.ColumnRangeFilter{MinColumn: []byte("p1"), MinColumnInclusive: new(false), MaxColumn: []byte("q"), MaxColumnInclusive: new(true)}), "[ap2 aq bp2 bq cp2 cq dp2 dq ep2 eq]"},
		{"column count", message("ColumnCountGetFilter", &pb.ColumnCountGetFilter{Limit: proto.Int32(1)}), "[ap1 bp1 cp1 dp1 ep1]"},
		{"column page", message("ColumnPaginationFilter", &pb.ColumnPaginationFilter{Limit: proto.Int32(1), Offset: proto.Int32(1)}), "[ap2 bp2 cp2 dp2 ep2]"},
		{"column page from a column", message("ColumnPaginationFilter", &pb.ColumnPaginationFilter{Limit: proto.Int32(2), ColumnOffset: []byte("p2")}), "[ap2 aq bp2 bq cp2 cq dp2 dq ep2 eq]"},
		{"first key", message("FirstKeyOnlyFilter", &pb.FirstKeyOnlyFilter{}), "[ap1 bp1 cp1 dp1 ep1]"},
		{"first key of those named", message("FirstKeyValueMatchingQualifiersFilter", &pb.FirstKeyValueMatchingQualifiersFilter{Qualifiers: [][]byte{[]byte("p2")}}), "[ap1 ap2 bp1 bp2 cp1 cp2 dp1 dp2 ep1 ep2]"},
		{"key only", message("KeyOnlyFilter", &pb.KeyOnlyFilter{LenAsVal: new(false)}), everything},
		{"inclusive stop", message("InclusiveStopFilter", &pb.InclusiveStopFilter{StopRowKey: []byte("b")}), "[ap1 ap2 aq ax bp1 bp2 bq bx]"},
		{"value", message("ValueFilter", &pb.ValueFilter{CompareFilter: compare(pb.CompareType_EQUAL, equal("cq"))}), "[cq]"},
		{"value less or equal", message("ValueFilter", &pb.ValueFilter{CompareFilter: compare(pb.CompareType_LESS_OR_EQUAL, equal("ap2"))}), "[ap1 ap2]"},
		{"value by expression", message("ValueFilter", &pb.ValueFilter{CompareFilter: compare(pb.CompareType_EQUAL, regex("^[BC]P1$", 2|32))}), "[bp1 cp1]"},
		{"value by substring", message("ValueFilter", &pb.ValueFilter{CompareFilter: compare(pb.CompareType_EQUAL, comparator("SubstringComparator", &pb.SubstringComparator{Substr: new("DP")}))}), "[dp1 dp2]"},
		{"value by prefix", message("ValueFilter", &pb.ValueFilter{CompareFilter: compare(pb.CompareType_GREATER, comparator("BinaryPrefixComparator", &pb.BinaryPrefixComparator{Comparable: &pb.ByteArrayComparable{Value: []byte("d")}}))}), "[ep1 ep2 eq ex]"},
		{"value by null", message("ValueFilter", &pb.ValueFilter{CompareFilter: compare(pb.CompareType_EQUAL, comparator("NullComparator", &pb.NullComparator{}))}), "[]"},
		{"value by bits", message("ValueFilter", &pb.ValueFilter{CompareFilter: compare(pb.CompareType_NOT_EQUAL, comparator("BitComparator", &pb.BitComparator{Comparable: &pb.ByteArrayComparable{Value: []byte("ax")}, BitwiseOp: pb.BitComparator_XOR.Enum()}))}), "[ap1 ap2 ax bp1 bp2 cp1 cp2 dp1 dp2 ep1 ep2]"},
		{"single column", message("SingleColumnValueFilter", single(pb.CompareType_EQUAL, "q", "bq", true)), "[bp1 bp2 bq bx]"},
		{"single column that is missing", message("SingleColumnValueFilter", single(pb.CompareType_EQUAL, "z", "bq", true)), "[]"},
		{"single column that may be missing", message("SingleColumnValueFilter", single(pb.CompareType_EQUAL, "z", "bq", false)), everything},
		{"single column, excluded", message("SingleColumnValueExcludeFilter", &pb.SingleColumnValueExcludeFilter{SingleColumnValueFilter: single(pb.CompareType_EQUAL, "q", "bq", true)}), "[bp1 bp2 bx]"},
		{"column value", message("ColumnValueFilter", single(pb.CompareType_NOT_EQUAL, "q", "bq", true)), "[aq cq dq eq]"},
		{"times", message("TimestampsFilter", &pb.TimestampsFilter{Timestamps: []int64{5, 2}}), "[bp1 bp2 bq bx ep1 ep2 eq ex]"},
		{"skip", message("SkipFilter", &pb.SkipFilter{Filter: message("ValueFilter", &pb.ValueFilter{CompareFilter: compare(pb.CompareType_LESS, equal("bq"))})}), "[ap1 ap2 aq ax]"},
		{"while", message("WhileMatchFilter", &pb.WhileMatchFilter{Filter: message("RowFilter", &pb.RowFilter{CompareFilter: compare(pb.CompareType_NOT_EQUAL, equal("b"))})}), "[ap1 ap2 aq ax]"},
		{"wrapped", message("FilterWrapper", &pb.FilterWrapper{Filter: message("PageFilter", &pb.PageFilter{PageSize: proto.Int64(1)})}), "[ap1 ap2 aq ax]"},
		{"ranges", message("MultiRowRangeFilter", &pb.MultiRowRangeFilter{RowRangeList: []*pb.RowRange{
			{StartRow: []byte("d"), StartRowInclusive: new(false), StopRow: []byte("")},
			{StartRow: []byte("a"), StartRowInclusive: new(true), StopRow: []byte("b"), StopRowInclusive: new(false)},
		}}), "[ap1 ap2 aq ax ep1 ep2 eq ex]"},
		{"fuzzy", message("FuzzyRowFilter", &pb.FuzzyRowFilter{FuzzyKeysData: []*pb.BytesBytesPair{{First: []byte("c"), Second: []byte{0}}}}), "[cp1 cp2 cq cx]"},
		{"fuzzy, free", message("FuzzyRowFilter", &pb.FuzzyRowFilter{FuzzyKeysData: []*pb.BytesBytesPair{{First: []byte("?"), Second: []byte{1}}}}), everything},
		{"random, always", message("RandomRowFilter", &pb.RandomRowFilter{Chance: proto.Float32(2)}), everything},
		{"random, never", message("RandomRowFilter", &pb.RandomRowFilter{Chance: proto.Float32(-1)}), "[]"},
		{"all of", list(pb.FilterList_MUST_PASS_ALL,
			message("ColumnPrefixFilter", &pb.ColumnPrefixFilter{Prefix: []byte("p")}),
			message("ValueFilter", &pb.ValueFilter{CompareFilter: compare(pb.CompareType_GREATER, equal("dp1"))})), "[dp2 ep1 ep2]"},
		{"all of, a page last", list(pb.FilterList_MUST_PASS_ALL,
			message("SingleColumnValueFilter", single(pb.CompareType_GREATER, "q", "bq", true)),
			message("PageFilter", &pb.PageFilter{PageSize: proto.Int64(1)})), "[cp1 cp2 cq cx]"},
		{"one of", list(pb.FilterList_MUST_PASS_ONE,
			message("ColumnPrefixFilter", &pb.ColumnPrefixFilter{Prefix: []byte("q")}),
			message("RowFilter", &pb.RowFilter{CompareFilter: compare(pb.CompareType_EQUAL, equal("b"))})), "[aq bp1 bp2 bq bx cq dq eq]"},
		{"one of, with its own counts", list(pb.FilterList_MUST_PASS_ONE,
			message("ColumnCountGetFilter", &pb.ColumnCountGetFilter{Limit: proto.Int32(1)}),
			message("ValueFilter", &pb.ValueFilter{CompareFilter: compare(pb.CompareType_EQUAL, equal("aq"))})), "[ap1 aq bp1 cp1 dp1 ep1]"},
		{"none to pass", list(pb.FilterList_MUST_PASS_ALL), everything},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := filter.Parse(c.m)
			require.NoError(t, err)
			require.Equal(t, c.want, fmt.Sprint(passed(f, rows())))
		})
	}
}

func TestKeyOnlyLeavesTheLength(t *testing.T) {
	f, err := filter.Parse(message("KeyOnlyFilter", &pb.KeyOnlyFilter{LenAsVal: new(true)}))
	require.NoError(t, err)
	c := protocol.Cell{Value: []byte("seven b")}
	f.Transform(&c)
	require.Equal(t, uint32(7), binary.BigEndian.Uint32(c.Value))
}

func TestALongComparesAsANumber(t *testing.T) {
	c, err := filter.ParseComparator(comparator("LongComparator", &pb.LongComparator{
		Comparable: &pb.ByteArrayComparable{Value: binary.BigEndian.AppendUint64(nil, 5)},
	}))
	require.NoError(t, err)
	minusOne := binary.BigEndian.AppendUint64(nil, 1<<64-1)
	require.Positive(t, c.Compare(minusOne))
	require.Zero(t, c.Compare(binary.BigEndian.AppendUint64(nil, 5)))
	require.NotZero(t, c.Compare([]byte("short")))
}

func TestInvalidFiltersAreRefusedAsInHBase(t *testing.T) {
	deep := message("PageFilter", &pb.PageFilter{PageSize: proto.Int64(1)})
	for range 40 {
		deep = message("SkipFilter", &pb.SkipFilter{Filter: deep})
	}
	many := make([]*pb.Filter, 5000)
	for i := range many {
		many[i] = message("FirstKeyOnlyFilter", &pb.FirstKeyOnlyFilter{})
	}
	row := func(by *pb.Comparator) *pb.Filter {
		return message("RowFilter", &pb.RowFilter{CompareFilter: compare(pb.CompareType_EQUAL, by)})
	}
	for _, c := range []struct {
		name, want string
		m          *pb.Filter
	}{
		{"unknown", "ClassNotFoundException: org.apache.hadoop.hbase.filter.OurFilter", message("OurFilter", &pb.PageFilter{PageSize: proto.Int64(1)})},
		{"of another package", "ClassNotFoundException: com.example.Filter", &pb.Filter{Name: new("com.example.Filter")}},
		{"malformed", "DeserializationException", &pb.Filter{Name: new("org.apache.hadoop.hbase.filter.PageFilter"), SerializedFilter: []byte{0xff}}},
		{"without what is required", "DeserializationException", message("PageFilter", &pb.FirstKeyOnlyFilter{})},
		{"too deep", "too many filters, or too deep", deep},
		{"too many", "too many filters, or too deep", list(pb.FilterList_MUST_PASS_ONE, many...)},
		{"too large", "at most", &pb.Filter{Name: new("org.apache.hadoop.hbase.filter.PageFilter"), SerializedFilter: make([]byte, 2<<20)}},
		{"no comparator", "no comparator", row(nil)},
		{"unknown comparator", "ClassNotFoundException", row(comparator("OurComparator", &pb.NullComparator{}))},
		{"an expression that RE2 cannot do", "PatternSyntaxException", row(regex("(?=a)b", 32))},
		{"a nested class", "nested classes", row(regex("[a-z&&[^b]]", 32))},
		{"flags that Go has not", "CANON_EQ", row(regex("a", 128))},
		{"no ranges", "no ranges", message("MultiRowRangeFilter", &pb.MultiRowRangeFilter{})},
		{"a mask of another length", "fuzzy key", message("FuzzyRowFilter", &pb.FuzzyRowFilter{FuzzyKeysData: []*pb.BytesBytesPair{{First: []byte("ab"), Second: []byte{0}}}})},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := filter.Parse(c.m)
			var refusal *filter.Refusal
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, "org.apache.hadoop.hbase.DoNotRetryIOException", refusal.Class())
			require.ErrorContains(t, err, c.want)
		})
	}
}

// FuzzParse feeds any message to Parse, and runs what comes of it: neither may panic, and each filter must end.
func FuzzParse(f *testing.F) {
	for _, m := range []*pb.Filter{
		message("PageFilter", &pb.PageFilter{PageSize: proto.Int64(1)}),
		message("RowFilter", &pb.RowFilter{CompareFilter: compare(pb.CompareType_EQUAL, regex("a.*b", 32))}),
		message("FuzzyRowFilter", &pb.FuzzyRowFilter{FuzzyKeysData: []*pb.BytesBytesPair{{First: []byte("c"), Second: []byte{0}}}}),
		message("ColumnPaginationFilter", &pb.ColumnPaginationFilter{Limit: proto.Int32(2), ColumnOffset: []byte("p2")}),
		message("MultiRowRangeFilter", &pb.MultiRowRangeFilter{RowRangeList: []*pb.RowRange{{StartRow: []byte("b"), StopRow: []byte("c")}}}),
		message("WhileMatchFilter", &pb.WhileMatchFilter{Filter: message("SkipFilter", &pb.SkipFilter{Filter: message("KeyOnlyFilter", &pb.KeyOnlyFilter{LenAsVal: new(true)})})}),
		list(pb.FilterList_MUST_PASS_ONE, message("ColumnPrefixFilter", &pb.ColumnPrefixFilter{Prefix: []byte("q")}), message("ColumnRangeFilter", &pb.ColumnRangeFilter{})),
	} {
		b, err := proto.Marshal(m)
		require.NoError(f, err)
		f.Add(b, false)
		f.Add(b, true)
	}
	f.Fuzz(func(_ *testing.T, b []byte, reversed bool) {
		m := &pb.Filter{}
		if proto.Unmarshal(b, m) != nil {
			return
		}
		one, err := filter.Parse(m)
		if err != nil || one == nil {
			return
		}
		one.SetReversed(reversed)
		passed(one, rows())
	})
}
