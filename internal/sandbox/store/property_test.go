package store_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/benchd/benchd/internal/sandbox/filter"
	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// drawn are the test's generators: few values, so that they collide, and bytes that could break an encoding.
type drawn struct {
	row, qualifier *rapid.Generator[[]byte]
	family         *rapid.Generator[string]
	time           *rapid.Generator[int64]
}

func newDrawn() drawn {
	letter := rapid.SampledFrom([]byte{0x00, 0x01, 0x02, 'a', 0xff})
	return drawn{
		row:       rapid.SliceOfN(letter, 1, 2),
		qualifier: rapid.SliceOfN(letter, 0, 2),
		family:    rapid.SampledFrom([]string{"a", "b", "bb"}),
		time:      rapid.Int64Range(1, 8),
	}
}

// machine is the store and its model.
type machine struct {
	drawn
	store   *store.Store
	model   *model
	name    store.Name
	open    *store.Scanner
	expects [][]protocol.Cell // the open scanner's remaining rows
}

func (m *machine) regions(t *rapid.T) []*store.Region {
	regions, err := m.store.Regions(m.name)
	require.NoError(t, err)
	return regions
}

func (m *machine) region(t *rapid.T, row []byte) *store.Region {
	r, err := m.store.Locate(m.name, row)
	require.NoError(t, err)
	return r
}

func (m *machine) put(t *rapid.T) {
	row := m.row.Draw(t, "row")
	p := &store.Mutation{Row: row}
	if rapid.IntRange(0, 5).Draw(t, "mortal") == 0 {
		p.TTL = time.Duration(rapid.Int64Range(1, 10).Draw(t, "ttl")) * time.Millisecond
	}
	for range rapid.IntRange(1, 3).Draw(t, "cells") {
		c := protocol.Cell{
			Row: row, Family: []byte(m.family.Draw(t, "family")), Qualifier: m.qualifier.Draw(t, "qualifier"),
			Timestamp: m.time.Draw(t, "time"), Type: protocol.TypePut, Value: rapid.SliceOfN(rapid.Byte(), 0, 2).Draw(t, "value"),
		}
		p.Cells = append(p.Cells, c)
		m.model.write(c, p.TTL)
	}
	require.NoError(t, m.region(t, row).Mutate(p, nil))
}

func (m *machine) remove(t *rapid.T) {
	row := m.row.Draw(t, "row")
	d := &store.Mutation{Kind: store.Delete, Row: row}
	if rapid.IntRange(0, 4).Draw(t, "whole") == 0 {
		d.Timestamp = m.time.Draw(t, "time")
		for _, f := range m.model.families {
			m.model.write(protocol.Cell{Row: row, Family: []byte(f.Name), Timestamp: d.Timestamp, Type: protocol.TypeDeleteFamily}, 0)
		}
	} else {
		c := protocol.Cell{
			Row: row, Family: []byte(m.family.Draw(t, "family")), Qualifier: m.qualifier.Draw(t, "qualifier"), Timestamp: m.time.Draw(t, "time"),
			Type: rapid.SampledFrom([]protocol.CellType{protocol.TypeDelete, protocol.TypeDeleteColumn, protocol.TypeDeleteFamily, protocol.TypeDeleteFamilyVersion}).Draw(t, "type"),
		}
		d.Cells = []protocol.Cell{c}
		if c.Type == protocol.TypeDeleteFamily || c.Type == protocol.TypeDeleteFamilyVersion {
			c.Qualifier = nil
		}
		m.model.write(c, 0)
	}
	require.NoError(t, m.region(t, row).Mutate(d, nil))
}

func (m *machine) read(t *rapid.T) store.Read {
	r := store.Read{MaxVersions: rapid.IntRange(0, 4).Draw(t, "versions")}
	if rapid.Bool().Draw(t, "timed") {
		r.Times.Min = m.time.Draw(t, "from")
		r.Times.Max = m.time.Draw(t, "to")
	}
	for range rapid.IntRange(0, 2).Draw(t, "families") {
		r.Columns = append(r.Columns, store.Columns{
			Family: m.family.Draw(t, "family"), Qualifiers: rapid.SliceOfN(m.qualifier, 0, 2).Draw(t, "qualifiers"),
		})
	}
	if rapid.IntRange(0, 3).Draw(t, "limited") == 0 {
		r.Limit, r.Offset = rapid.IntRange(0, 3).Draw(t, "limit"), rapid.IntRange(0, 2).Draw(t, "offset")
	}
	return r
}

// filters returns two equal filters, because each has state: one for the store, one for the model.
func (m *machine) filters(t *rapid.T) (one, two filter.Filter) {
	message := func(name string, body proto.Message) *pb.Filter {
		b, err := proto.Marshal(body)
		require.NoError(t, err)
		return &pb.Filter{Name: new("org.apache.hadoop.hbase.filter." + name), SerializedFilter: b}
	}
	simple := func() *pb.Filter {
		switch rapid.IntRange(0, 9).Draw(t, "filter") {
		case 0:
			return message("PageFilter", &pb.PageFilter{PageSize: new(rapid.Int64Range(0, 3).Draw(t, "page"))})
		case 1:
			return message("ColumnPrefixFilter", &pb.ColumnPrefixFilter{Prefix: m.qualifier.Draw(t, "prefix")})
		case 2:
			return message("ColumnRangeFilter", &pb.ColumnRangeFilter{
				MinColumn: m.qualifier.Draw(t, "low"), MinColumnInclusive: new(rapid.Bool().Draw(t, "low in")),
				MaxColumn: m.qualifier.Draw(t, "high"), MaxColumnInclusive: new(rapid.Bool().Draw(t, "high in")),
			})
		case 3:
			return message("ColumnPaginationFilter", &pb.ColumnPaginationFilter{Limit: proto.Int32(1), Offset: new(rapid.Int32Range(0, 2).Draw(t, "offset"))})
		case 4:
			return message("FirstKeyOnlyFilter", &pb.FirstKeyOnlyFilter{})
		case 5:
			return message("PrefixFilter", &pb.PrefixFilter{Prefix: m.row.Draw(t, "prefix")})
		case 6:
			return message("MultiRowRangeFilter", &pb.MultiRowRangeFilter{RowRangeList: []*pb.RowRange{
				{StartRow: m.row.Draw(t, "start"), StartRowInclusive: new(rapid.Bool().Draw(t, "in")), StopRow: m.row.Draw(t, "stop"), StopRowInclusive: new(true)},
				{StartRow: m.row.Draw(t, "start"), StartRowInclusive: new(true), StopRow: m.row.Draw(t, "stop"), StopRowInclusive: new(rapid.Bool().Draw(t, "in"))},
			}})
		case 7:
			return message("TimestampsFilter", &pb.TimestampsFilter{Timestamps: rapid.SliceOfN(m.time, 0, 3).Draw(t, "times")})
		case 8:
			return message("MultipleColumnPrefixFilter", &pb.MultipleColumnPrefixFilter{SortedPrefixes: rapid.SliceOfN(m.qualifier, 1, 2).Draw(t, "prefixes")})
		default:
			by, err := proto.Marshal(&pb.BinaryComparator{Comparable: &pb.ByteArrayComparable{Value: m.row.Draw(t, "value")}})
			require.NoError(t, err)
			return message("SingleColumnValueFilter", &pb.SingleColumnValueFilter{
				ColumnFamily: []byte(m.family.Draw(t, "family")), ColumnQualifier: m.qualifier.Draw(t, "qualifier"),
				CompareOp:       pb.CompareType(rapid.Int32Range(0, 5).Draw(t, "op")).Enum(),
				Comparator:      &pb.Comparator{Name: new("org.apache.hadoop.hbase.filter.BinaryComparator"), SerializedComparator: by},
				FilterIfMissing: new(rapid.Bool().Draw(t, "missing")), LatestVersionOnly: new(rapid.Bool().Draw(t, "latest")),
			})
		}
	}
	var f *pb.Filter
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return nil, nil
	case 1, 2:
		f = simple()
	default:
		f = message("FilterList", &pb.FilterList{
			Operator: pb.FilterList_Operator(rapid.Int32Range(1, 2).Draw(t, "operator")).Enum(), Filters: []*pb.Filter{simple(), simple()},
		})
	}
	one, err := filter.Parse(f)
	require.NoError(t, err)
	two, err = filter.Parse(f)
	require.NoError(t, err)
	return one, two
}

func (m *machine) get(t *rapid.T) {
	g := store.Get{Row: m.row.Draw(t, "row"), Read: m.read(t)}
	expected := g.Read
	g.Filter, expected.Filter = m.filters(t)
	var got store.Result
	require.NoError(t, m.region(t, g.Row).Get(&g, &got))
	require.Equal(t, shown(m.model.filtered(g.Row, &expected)), shown(got.Cells))
}

func (m *machine) scanned(t *rapid.T) (s, expected store.Scan) {
	s = store.Scan{Reversed: rapid.Bool().Draw(t, "reversed"), Read: m.read(t)}
	if rapid.Bool().Draw(t, "bounded") {
		s.Start, s.Stop = m.row.Draw(t, "start"), m.row.Draw(t, "stop")
		s.StartExcluded, s.StopIncluded = rapid.Bool().Draw(t, "after"), rapid.Bool().Draw(t, "with")
	}
	expected = s
	s.Filter, expected.Filter = m.filters(t)
	if s.Filter == nil || !s.Filter.WholeRows() {
		s.Batch = rapid.IntRange(0, 3).Draw(t, "batch")
	}
	return s, expected
}

func (m *machine) scan(t *rapid.T) {
	for _, r := range m.regions(t) {
		s, expected := m.scanned(t)
		info := r.Info()
		sc, err := r.Scan(s)
		require.NoError(t, err)
		var got []string
		for more := true; more; {
			var page store.Page
			more, err = sc.Next(m.limits(t), &page)
			require.NoError(t, err)
			got = append(got, shown(page.Cells)...)
			m.parts(t, &s, &page)
		}
		require.NoError(t, sc.Close())
		require.Equal(t, showRows(m.model.scan(&info, &expected)), got)
	}
}

func (*machine) limits(t *rapid.T) store.Limits {
	return store.Limits{
		Rows: rapid.IntRange(0, 3).Draw(t, "rows"), Bytes: rapid.IntRange(0, 100).Draw(t, "bytes"), Parts: rapid.Bool().Draw(t, "parts"),
	}
}

// parts checks a page's rows: none is empty, none has cells of two rows, none is longer than a batch.
func (*machine) parts(t *rapid.T, s *store.Scan, p *store.Page) {
	from := 0
	for i, r := range p.Rows {
		require.Greater(t, r.End, from)
		require.Equal(t, p.Cells[from].Row, p.Cells[r.End-1].Row)
		if s.Batch > 0 {
			require.LessOrEqual(t, r.End-from, s.Batch)
		}
		if i > 0 && !p.Rows[i-1].More {
			require.NotEqual(t, p.Cells[from-1].Row, p.Cells[from].Row, "a row occurs twice")
		}
		from = r.End
	}
	require.Len(t, p.Cells, from)
}

// hold opens a scanner, or continues the open one: it sees the data from when it was opened.
func (m *machine) hold(t *rapid.T) {
	if m.open == nil {
		r := rapid.SampledFrom(m.regions(t)).Draw(t, "region")
		s, expected := m.scanned(t)
		info := r.Info()
		var err error
		m.open, err = r.Scan(s)
		require.NoError(t, err)
		m.expects = m.model.scan(&info, &expected)
		return
	}
	var page store.Page
	more, err := m.open.Next(store.Limits{Rows: 1}, &page)
	if err != nil {
		require.ErrorIs(t, err, store.ErrRegionGone)
		more = false
	} else if len(page.Cells) > 0 {
		require.NotEmpty(t, m.expects)
		got := shown(page.Cells)
		require.Equal(t, shown(m.expects[0][:len(got)]), got)
		if m.expects[0] = m.expects[0][len(got):]; len(m.expects[0]) == 0 {
			m.expects = m.expects[1:]
		}
	}
	if !more {
		if err == nil {
			require.Empty(t, m.expects)
		}
		require.NoError(t, m.open.Close())
		m.open = nil
	}
}

func (m *machine) split(t *rapid.T) {
	r := rapid.SampledFrom(m.regions(t)).Draw(t, "region")
	at := m.row.Draw(t, "at")
	info := r.Info()
	low, high, err := r.Split(at)
	if !info.Contains(at) || bytes.Equal(at, info.Start) {
		require.ErrorIs(t, err, store.ErrNoSplit)
		return
	}
	require.NoError(t, err)
	require.Equal(t, at, low.Info().End)
	require.Equal(t, at, high.Info().Start)
}

func (m *machine) merge(t *rapid.T) {
	regions := m.regions(t)
	if len(regions) < 2 {
		return
	}
	i := rapid.IntRange(0, len(regions)-2).Draw(t, "which")
	_, err := m.store.Merge(regions[i+1], regions[i])
	require.NoError(t, err)
}

func (m *machine) compact(t *rapid.T) {
	r := rapid.SampledFrom(m.regions(t)).Draw(t, "region")
	require.NoError(t, r.Compact(true))
	info := r.Info()
	m.model.compact(&info)
}

func (m *machine) middle(t *rapid.T) {
	r := rapid.SampledFrom(m.regions(t)).Draw(t, "region")
	at, err := r.SplitPoint()
	if err != nil {
		require.ErrorIs(t, err, store.ErrNoSplit)
		return
	}
	info := r.Info()
	require.True(t, info.Contains(at))
	rows := slices.DeleteFunc(m.model.rows(), func(row []byte) bool { return !info.Contains(row) })
	require.True(t, slices.ContainsFunc(rows[1:], func(row []byte) bool { return bytes.Equal(row, at) }), "a split leaves rows on both sides")
}

func TestTheStoreMatchesItsModel(t *testing.T) {
	var now int64
	s := open(t, store.Options{Now: func() time.Time { return time.UnixMilli(now) }, TidyBytes: -1})
	table := 0
	rapid.Check(t, func(t *rapid.T) {
		table++
		now = 4
		s.Nearby(rapid.SampledFrom([]int{0, 1, 6}).Draw(t, "nearby"))
		families := []store.Family{
			{Name: "a", MaxVersions: 1},
			{Name: "b", MaxVersions: 3, TTL: 4 * time.Millisecond, MinVersions: rapid.IntRange(0, 2).Draw(t, "min")},
			{Name: "bb", MaxVersions: 2, TTL: 6 * time.Millisecond},
		}
		m := &machine{drawn: newDrawn(), store: s, name: store.Name{Namespace: "default", Qualifier: fmt.Sprint("t", table)}}
		m.model = &model{families: families, now: now}
		_, err := s.CreateTable(store.Table{Name: m.name, Families: families}, nil)
		require.NoError(t, err)
		defer func() {
			if m.open != nil {
				require.NoError(t, m.open.Close())
			}
			require.NoError(t, s.SetTableState(m.name, store.Disabled))
			require.NoError(t, s.DeleteTable(m.name))
		}()
		t.Repeat(map[string]func(*rapid.T){
			"put":     m.put,
			"put 2":   m.put,
			"put 3":   m.put,
			"delete":  m.remove,
			"get":     m.get,
			"scan":    m.scan,
			"hold":    m.hold,
			"split":   m.split,
			"merge":   m.merge,
			"compact": m.compact,
			"middle":  m.middle,
			"flush":   func(t *rapid.T) { require.NoError(t, s.Flush()) },
			"later": func(*rapid.T) {
				now++
				m.model.now = now
			},
		})
	})
}
