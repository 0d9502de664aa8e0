package store_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox/filter"
	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

func remove(row, qualifier string, kind protocol.CellType, at int64) *store.Mutation {
	return &store.Mutation{Kind: store.Delete, Row: []byte(row), Cells: []protocol.Cell{
		{Family: []byte("f"), Qualifier: []byte(qualifier), Timestamp: at, Type: kind},
	}}
}

func TestADeleteOfTheLatestVersionShowsThePreviousOne(t *testing.T) {
	r := created(t, open(t, store.Options{}), nil, store.Family{Name: "f", MaxVersions: 3})
	for _, v := range []string{"1", "2", "3"} {
		m := put("r", "x", v)
		m.Cells[0].Timestamp = int64(v[0])
		require.NoError(t, r.Mutate(m, nil))
	}
	require.NoError(t, r.Mutate(remove("r", "x", protocol.TypeDelete, protocol.LatestTimestamp), nil))
	require.Equal(t, []string{"x=2"}, values(t, r, "r"))
	require.NoError(t, r.Mutate(remove("r", "x", protocol.TypeDelete, int64('1')), nil))
	require.Equal(t, []string{"x=2"}, values(t, r, "r"))
	require.NoError(t, r.Mutate(remove("r", "x", protocol.TypeDeleteColumn, protocol.LatestTimestamp), nil))
	require.Empty(t, values(t, r, "r"))
}

func TestServerTimestampsOfARowNeverDecrease(t *testing.T) {
	now := int64(1000)
	s := open(t, store.Options{Now: func() time.Time { return time.UnixMilli(now) }})
	r := created(t, s, nil, store.Family{Name: "f", MaxVersions: 10})
	require.NoError(t, r.Mutate(put("r", "x", "1"), nil))
	now = 900
	require.NoError(t, r.Mutate(put("r", "x", "2"), nil))
	require.Equal(t, []string{"x=2"}, values(t, r, "r"), "after the clock was set back")
	for range 3 {
		require.NoError(t, r.Mutate(remove("r", "x", protocol.TypeDeleteColumn, protocol.LatestTimestamp), nil))
		require.Empty(t, values(t, r, "r"))
		require.NoError(t, r.Mutate(put("r", "x", "3"), nil))
		require.Equal(t, []string{"x=3"}, values(t, r, "r"))
	}
}

func TestAValueWithATTLExpires(t *testing.T) {
	now := int64(1000)
	r := created(t, open(t, store.Options{Now: func() time.Time { return time.UnixMilli(now) }}), nil)
	m := put("r", "x", "1")
	m.TTL = 10 * time.Millisecond
	require.NoError(t, r.Mutate(m, nil))
	a := put("r", "x", "2")
	a.Kind = store.Append
	var after store.Result
	now = 1005
	require.NoError(t, r.Mutate(a, &after))
	require.Equal(t, "12", string(after.Cells[0].Value))
	require.Equal(t, []string{"x=12"}, values(t, r, "r"))
	require.NoError(t, r.Mutate(m, nil))
	now = 1020
	require.Empty(t, values(t, r, "s"))
}

func TestConditionsHoldAsInHBase(t *testing.T) {
	for _, c := range []struct {
		name     string
		has      []byte // nil: no value
		op       filter.Op
		expected []byte // nil: none is expected
		want     bool
	}{
		{"absent as expected", nil, filter.Equal, nil, true},
		{"absent, not to be", nil, filter.NotEqual, nil, false},
		{"present, none expected", []byte("v"), filter.Equal, nil, false},
		{"present, not none", []byte("v"), filter.NotEqual, nil, true},
		{"empty counts as none", []byte{}, filter.Equal, nil, true},
		{"absent, a value expected", nil, filter.Equal, []byte("v"), false},
		{"absent, not a value", nil, filter.NotEqual, []byte("v"), false},
		{"equal", []byte("v"), filter.Equal, []byte("v"), true},
		{"not equal", []byte("v"), filter.NotEqual, []byte("w"), true},
		{"the expected is less", []byte("v"), filter.Less, []byte("u"), true},
		{"the expected is not less", []byte("v"), filter.Less, []byte("w"), false},
		{"the expected is greater", []byte("v"), filter.Greater, []byte("w"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := created(t, open(t, store.Options{}), nil)
			if c.has != nil {
				require.NoError(t, r.Mutate(put("r", "x", string(c.has)), nil))
			}
			check := &store.Check{Row: []byte("r"), Family: []byte("f"), Qualifier: []byte("x"), Compare: c.op}
			if c.expected != nil {
				check.Comparator = filter.Binary(c.expected)
			}
			matched, err := r.CheckAndMutate(check, []*store.Mutation{put("r", "y", "done"), remove("r", "x", protocol.TypeDeleteColumn, protocol.LatestTimestamp)}, nil)
			require.NoError(t, err)
			require.Equal(t, c.want, matched)
			require.Equal(t, c.want, len(values(t, r, "r")) == 1 && values(t, r, "r")[0] == "y=done")
		})
	}
}

func TestAMutationOfManyRowsIsAllOrNothing(t *testing.T) {
	r := created(t, open(t, store.Options{}), nil)
	require.NoError(t, r.Mutate(put("b", "x", "not a number"), nil))
	bad := of("b", "x", number(1), store.Increment)
	require.ErrorIs(t, r.MutateRows([]*store.Mutation{put("a", "x", "1"), bad}), store.ErrNotANumber)
	require.Empty(t, values(t, r, "a"))
	errs := r.Batch([]*store.Mutation{put("a", "x", "1"), bad, put("c", "x", "2")}, nil)
	require.NoError(t, errs[0])
	require.ErrorIs(t, errs[1], store.ErrNotANumber)
	require.NoError(t, errs[2])
	require.Equal(t, []string{"x=1"}, values(t, r, "a"))
	require.Equal(t, []string{"x=2"}, values(t, r, "c"))

	// An increment sees the earlier writes of the same batch.
	require.NoError(t, r.MutateRows([]*store.Mutation{of("n", "x", number(5), store.Put), of("n", "x", number(2), store.Increment)}))
	require.Equal(t, number(7), one(t, r, "n", "x"))
}

func TestInvalidMutationsAreRefused(t *testing.T) {
	r := created(t, open(t, store.Options{MaxCellBytes: 1000}), [][]byte{[]byte("m")})
	other := put("r", "x", "1")
	other.Cells[0].Family = []byte("other")
	for _, c := range []struct {
		name string
		m    *store.Mutation
		want error
	}{
		{"no row", put("", "x", "1"), store.ErrBadRequest},
		{"another region's row", put("z", "x", "1"), store.ErrWrongRegion},
		{"no cells", &store.Mutation{Row: []byte("a")}, store.ErrBadRequest},
		{"no such family", func() *store.Mutation { other.Row = []byte("a"); return other }(), store.ErrNoFamily},
		{"a cell that is too large", put("a", "x", string(make([]byte, 2000))), store.ErrTooLarge},
		{"a row that is too long", put(string(bytes.Repeat([]byte("a"), 1<<15)), "x", ""), store.ErrTooLarge},
		{"a delete of a value", remove("a", "x", protocol.TypePut, 1), store.ErrBadRequest},
		{"a negative timestamp", remove("a", "x", protocol.TypeDelete, -1), store.ErrBadRequest},
		{"an increment by text", of("a", "x", []byte("1"), store.Increment), store.ErrNotANumber},
		{"no such kind", of("a", "x", []byte("1"), store.Kind(9)), store.ErrBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.ErrorIs(t, r.Mutate(c.m, nil), c.want)
			require.ErrorIs(t, r.Batch([]*store.Mutation{c.m}, nil)[0], c.want)
		})
	}
}
