package filter

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// of parses a message and makes a filter or comparator from it.
func of[M proto.Message, T any](fresh func() M, build func(M) (T, error)) func([]byte) (T, error) {
	return func(b []byte) (out T, err error) {
		m, err := decode(b, fresh())
		if err != nil {
			return out, err
		}
		return build(m)
	}
}

func newCondition(op pb.CompareType, by *pb.Comparator) (condition, error) {
	if by == nil {
		return condition{}, refuse("java.lang.IllegalArgumentException: a filter that compares has no comparator")
	}
	c, err := ParseComparator(by)
	return condition{Op(op), c}, err
}

func rowFilters() map[string]func([]byte) (Filter, error) {
	return map[string]func([]byte) (Filter, error){
		"FilterAllFilter": func([]byte) (Filter, error) { return all{}, nil },
		"PageFilter": of(func() *pb.PageFilter { return &pb.PageFilter{} }, func(m *pb.PageFilter) (Filter, error) {
			if m.GetPageSize() < 0 {
				return nil, refuse("java.lang.IllegalArgumentException: a page of %d rows", m.GetPageSize())
			}
			return &page{size: m.GetPageSize()}, nil
		}),
		"PrefixFilter": of(func() *pb.PrefixFilter { return &pb.PrefixFilter{} }, func(m *pb.PrefixFilter) (Filter, error) {
			return &prefix{prefix: m.GetPrefix()}, nil
		}),
		"RowFilter": of(func() *pb.RowFilter { return &pb.RowFilter{} }, func(m *pb.RowFilter) (Filter, error) {
			c, err := newCondition(m.GetCompareFilter().GetCompareOp(), m.GetCompareFilter().GetComparator())
			return &row{condition: c}, err
		}),
		"InclusiveStopFilter": of(func() *pb.InclusiveStopFilter { return &pb.InclusiveStopFilter{} },
			func(m *pb.InclusiveStopFilter) (Filter, error) { return &inclusiveStop{stop: m.GetStopRowKey()}, nil }),
		"RandomRowFilter": of(func() *pb.RandomRowFilter { return &pb.RandomRowFilter{} },
			func(m *pb.RandomRowFilter) (Filter, error) { return &random{chance: m.GetChance()}, nil }),
		"MultiRowRangeFilter": of(func() *pb.MultiRowRangeFilter { return &pb.MultiRowRangeFilter{} },
			func(m *pb.MultiRowRangeFilter) (Filter, error) {
				spans := make([]span, 0, len(m.GetRowRangeList()))
				for _, r := range m.GetRowRangeList() {
					spans = append(spans, span{r.GetStartRow(), r.GetStopRow(), r.GetStartRowInclusive(), r.GetStopRowInclusive()})
				}
				if len(spans) == 0 {
					return nil, refuse("java.lang.IllegalArgumentException: no ranges found.")
				}
				return newRanges(spans), nil
			}),
		"FuzzyRowFilter": parseFuzzy,
	}
}

// fuzzyMaskV2 is a field of FuzzyRowFilter that these messages do not have yet: whether a mask marks a free byte with 2
// instead of 0.
const fuzzyMaskV2 = 2

func parseFuzzy(b []byte) (Filter, error) {
	m, err := decode(b, &pb.FuzzyRowFilter{})
	if err != nil {
		return nil, err
	}
	v2 := true
	if raw, ok := field(m.ProtoReflect().GetUnknown(), fuzzyMaskV2); ok {
		v2 = raw != 0
	}
	f := &fuzzy{}
	for _, pair := range m.GetFuzzyKeysData() {
		key, mask := pair.GetFirst(), pair.GetSecond()
		if len(key) != len(mask) || len(key) == 0 {
			return nil, refuse("java.lang.IllegalArgumentException: a fuzzy key of %d bytes with a mask of %d", len(key), len(mask))
		}
		k := fuzzyKey{key: key, any: make([]bool, len(mask))}
		// Clients send masks as written by the user (0 fixed, 1 free) or preprocessed (ff fixed; 2, formerly 0, free).
		prepared := !v2 && bytes.IndexByte(mask, 0xff) >= 0
		for i, b := range mask {
			k.any[i] = b == 1 || b == 2 || prepared && b == 0
		}
		f.keys = append(f.keys, k)
	}
	return f, nil
}

// field finds a number in a message's unknown fields.
func field(b []byte, want protowire.Number) (value uint64, ok bool) {
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return 0, false
		}
		b = b[n:]
		if num == want && kind == protowire.VarintType {
			v, n := protowire.ConsumeVarint(b)
			return v, n > 0
		}
		if n = protowire.ConsumeFieldValue(num, kind, b); n < 0 {
			return 0, false
		}
		b = b[n:]
	}
	return 0, false
}

func columnFilters() map[string]func([]byte) (Filter, error) {
	return map[string]func([]byte) (Filter, error){
		"FamilyFilter": of(func() *pb.FamilyFilter { return &pb.FamilyFilter{} }, func(m *pb.FamilyFilter) (Filter, error) {
			c, err := newCondition(m.GetCompareFilter().GetCompareOp(), m.GetCompareFilter().GetComparator())
			return &family{condition: c}, err
		}),
		"QualifierFilter": of(func() *pb.QualifierFilter { return &pb.QualifierFilter{} }, func(m *pb.QualifierFilter) (Filter, error) {
			c, err := newCondition(m.GetCompareFilter().GetCompareOp(), m.GetCompareFilter().GetComparator())
			return &qualifier{condition: c}, err
		}),
		"ColumnPrefixFilter": of(func() *pb.ColumnPrefixFilter { return &pb.ColumnPrefixFilter{} },
			func(m *pb.ColumnPrefixFilter) (Filter, error) { return newColumnPrefix(m.GetPrefix()), nil }),
		"MultipleColumnPrefixFilter": of(func() *pb.MultipleColumnPrefixFilter { return &pb.MultipleColumnPrefixFilter{} },
			func(m *pb.MultipleColumnPrefixFilter) (Filter, error) {
				return newColumnPrefix(m.GetSortedPrefixes()...), nil
			}),
		"ColumnRangeFilter": of(func() *pb.ColumnRangeFilter { return &pb.ColumnRangeFilter{} },
			func(m *pb.ColumnRangeFilter) (Filter, error) {
				return &columnRange{low: m.MinColumn, high: m.MaxColumn, lowIn: m.GetMinColumnInclusive(), highIn: m.GetMaxColumnInclusive()}, nil
			}),
		"ColumnCountGetFilter": of(func() *pb.ColumnCountGetFilter { return &pb.ColumnCountGetFilter{} },
			func(m *pb.ColumnCountGetFilter) (Filter, error) {
				if m.GetLimit() < 0 {
					return nil, refuse("java.lang.IllegalArgumentException: limit be positive %d", m.GetLimit())
				}
				return &columnCount{limit: int(m.GetLimit())}, nil
			}),
		"ColumnPaginationFilter": of(func() *pb.ColumnPaginationFilter { return &pb.ColumnPaginationFilter{} },
			func(m *pb.ColumnPaginationFilter) (Filter, error) {
				if m.GetLimit() < 0 || m.GetOffset() < 0 {
					return nil, refuse("java.lang.IllegalArgumentException: limit must be positive %d, offset must be positive %d",
						m.GetLimit(), m.GetOffset())
				}
				return &columnPage{limit: int(m.GetLimit()), offset: int(m.GetOffset()), from: m.ColumnOffset}, nil
			}),
		"FirstKeyOnlyFilter": func([]byte) (Filter, error) { return &firstKey{}, nil },
		"FirstKeyValueMatchingQualifiersFilter": of(
			func() *pb.FirstKeyValueMatchingQualifiersFilter { return &pb.FirstKeyValueMatchingQualifiersFilter{} },
			func(m *pb.FirstKeyValueMatchingQualifiersFilter) (Filter, error) {
				return &firstKey{named: slices.Concat([][]byte{}, m.GetQualifiers())}, nil
			}),
		"KeyOnlyFilter": of(func() *pb.KeyOnlyFilter { return &pb.KeyOnlyFilter{} },
			func(m *pb.KeyOnlyFilter) (Filter, error) { return &keyOnly{length: m.GetLenAsVal()}, nil }),
	}
}

func newSingleColumn(m *pb.SingleColumnValueFilter, exclude bool) (Filter, error) {
	c, err := newCondition(m.GetCompareOp(), m.GetComparator())
	return &singleColumn{
		condition: c, family: m.GetColumnFamily(), qualifier: m.GetColumnQualifier(),
		ifMissing: m.GetFilterIfMissing(), latestOnly: m.GetLatestVersionOnly(), exclude: exclude,
	}, err
}

func cellFilters() map[string]func([]byte) (Filter, error) {
	return map[string]func([]byte) (Filter, error){
		"ValueFilter": of(func() *pb.ValueFilter { return &pb.ValueFilter{} }, func(m *pb.ValueFilter) (Filter, error) {
			c, err := newCondition(m.GetCompareFilter().GetCompareOp(), m.GetCompareFilter().GetComparator())
			return &value{condition: c}, err
		}),
		"DependentColumnFilter": of(func() *pb.DependentColumnFilter { return &pb.DependentColumnFilter{} }, func(m *pb.DependentColumnFilter) (Filter, error) {
			f := &dependent{family: m.GetColumnFamily(), qualifier: m.GetColumnQualifier(), drop: m.GetDropDependentColumn()}
			if m.GetCompareFilter().GetComparator() == nil {
				return f, nil
			}
			c, err := newCondition(m.GetCompareFilter().GetCompareOp(), m.GetCompareFilter().GetComparator())
			f.condition = &c
			return f, err
		}),
		"SingleColumnValueFilter": of(func() *pb.SingleColumnValueFilter { return &pb.SingleColumnValueFilter{} },
			func(m *pb.SingleColumnValueFilter) (Filter, error) { return newSingleColumn(m, false) }),
		"SingleColumnValueExcludeFilter": of(func() *pb.SingleColumnValueExcludeFilter { return &pb.SingleColumnValueExcludeFilter{} },
			func(m *pb.SingleColumnValueExcludeFilter) (Filter, error) {
				return newSingleColumn(m.GetSingleColumnValueFilter(), true)
			}),
		// These messages do not have ColumnValueFilter yet; its fields are the first four of SingleColumnValueFilter.
		"ColumnValueFilter": of(func() *pb.SingleColumnValueFilter { return &pb.SingleColumnValueFilter{} },
			func(m *pb.SingleColumnValueFilter) (Filter, error) {
				c, err := newCondition(m.GetCompareOp(), m.GetComparator())
				return &columnValue{condition: c, family: m.GetColumnFamily(), qualifier: m.GetColumnQualifier()}, err
			}),
		"TimestampsFilter": of(func() *pb.TimestampsFilter { return &pb.TimestampsFilter{} },
			func(m *pb.TimestampsFilter) (Filter, error) {
				return &times{at: slices.Sorted(slices.Values(m.GetTimestamps()))}, nil
			}),
	}
}

func comparators() map[string]func([]byte) (Comparator, error) {
	return map[string]func([]byte) (Comparator, error){
		"BinaryComparator": of(func() *pb.BinaryComparator { return &pb.BinaryComparator{} },
			func(m *pb.BinaryComparator) (Comparator, error) { return Binary(m.GetComparable().GetValue()), nil }),
		"BinaryPrefixComparator": of(func() *pb.BinaryPrefixComparator { return &pb.BinaryPrefixComparator{} },
			func(m *pb.BinaryPrefixComparator) (Comparator, error) {
				return binaryPrefix(m.GetComparable().GetValue()), nil
			}),
		"LongComparator": of(func() *pb.LongComparator { return &pb.LongComparator{} },
			func(m *pb.LongComparator) (Comparator, error) {
				v := m.GetComparable().GetValue()
				if len(v) != 8 {
					return nil, refuse("java.lang.IllegalArgumentException: a LongComparator of %d bytes", len(v))
				}
				return long{int64(binary.BigEndian.Uint64(v)), v}, nil
			}),
		"NullComparator": func([]byte) (Comparator, error) { return null{}, nil },
		"BitComparator": of(func() *pb.BitComparator { return &pb.BitComparator{} }, func(m *pb.BitComparator) (Comparator, error) {
			return newBit(m.GetComparable().GetValue(), m.GetBitwiseOp()), nil
		}),
		"SubstringComparator": of(func() *pb.SubstringComparator { return &pb.SubstringComparator{} },
			func(m *pb.SubstringComparator) (Comparator, error) {
				return substring(strings.ToLower(m.GetSubstr())), nil
			}),
		"RegexStringComparator": of(func() *pb.RegexStringComparator { return &pb.RegexStringComparator{} },
			func(m *pb.RegexStringComparator) (Comparator, error) {
				p, err := compile(m.GetPattern(), m.GetPatternFlags(), m.GetCharset())
				if err != nil {
					return nil, refuse("java.util.regex.PatternSyntaxException: %v", err)
				}
				return p, nil
			}),
	}
}

func newBit(v []byte, op pb.BitComparator_BitwiseOp) bit {
	b := bit{value: v, combine: func(a, b byte) byte { return a & b }}
	switch op {
	case pb.BitComparator_AND:
	case pb.BitComparator_OR:
		b.combine = func(a, b byte) byte { return a | b }
	case pb.BitComparator_XOR:
		b.combine = func(a, b byte) byte { return a ^ b }
	}
	return b
}
