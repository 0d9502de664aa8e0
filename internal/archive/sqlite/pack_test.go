package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// packedBy returns what a query with one value returns.
func packedBy(t *testing.T, a *Archive, query string, args ...any) (b []byte) {
	t.Helper()
	require.NoError(t, a.read(t.Context(), "pack values of", func(ctx context.Context, tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, query, args...).Scan(&b)
	}))
	return b
}

func TestPackedValuesAreUnpacked(t *testing.T) {
	t.Parallel()
	a := openIn(t, t.TempDir())
	var u unpacker
	u.of(packedBy(t, a, `SELECT pack(?, ?, ?, 0, 1, NULL, 7, ?, ?, 2, ?, ?, '', ?, x'', NULL)`,
		math.MaxInt64, math.MinInt64, 300, -0.5, math.Inf(1), "a\x00b", "\xff", []byte{1, 0, 2}))
	require.Equal(t, []int64{math.MaxInt64, math.MinInt64}, []int64{u.int(), u.int()})
	require.Equal(t, uint64(300), u.count())
	require.Equal(t, []bool{false, true}, []bool{u.flag(), u.flag()})
	require.Equal(t, []sql.NullInt64{{}, {Int64: 7, Valid: true}}, []sql.NullInt64{u.nullInt(), u.nullInt()})
	require.Equal(t, []float64{-0.5, math.Inf(1), 2}, []float64{u.real(), u.real(), u.real()})
	require.Equal(t, []string{"a\x00b", "\xff", ""}, []string{u.text(), u.name(), u.name()})
	require.Equal(t, [][]byte{{1, 0, 2}, {}, nil}, [][]byte{u.bytes(), u.bytes(), u.bytes()})
	require.False(t, u.more())
	require.NoError(t, u.err)
}

// An aggregate has the values of all rows in their order, and is NULL without rows.
func TestRowsArePacked(t *testing.T) {
	t.Parallel()
	a := openIn(t, t.TempDir())
	const rows = `WITH r (n, name) AS (VALUES (1, 'a'), (2, NULL), (3, x'05')) SELECT pack_rows(n, name) FROM r WHERE n > ?`
	var u unpacker
	for u.of(packedBy(t, a, rows, 0)); u.more(); {
		n, name := u.int(), u.bytes()
		require.Equal(t, [][]byte{{'a'}, nil, {5}}[n-1], name)
	}
	require.NoError(t, u.err)
	require.Equal(t, 6, u.values)
	require.Nil(t, packedBy(t, a, rows, 3))
}

func TestWrongPackedValuesAreRefused(t *testing.T) {
	t.Parallel()
	whole, err := appendPacked(nil, []driver.Value{int64(-1), "text", 1.5, []byte{1, 2, 3}, nil})
	require.NoError(t, err)
	for want, read := range map[string]func(*unpacker){
		"value 2: want an integer, have a text":              func(u *unpacker) { u.int(); u.int(); u.int() },
		"value 1: want an integer of at least 0, have -1":    func(u *unpacker) { u.count() },
		"value 1: want 0 or 1, have -1":                      func(u *unpacker) { u.flag() },
		"value 1: want a text, have an integer":              func(u *unpacker) { u.text() },
		"value 3: want a text, have a real number":           func(u *unpacker) { u.int(); u.name(); u.name() },
		"value 2: want a number, have a text":                func(u *unpacker) { u.int(); u.real() },
		"value 3: want a text or a blob, have a real number": func(u *unpacker) { u.int(); u.name(); u.bytes() },
		"value 4: want an integer or NULL, have a blob":      func(u *unpacker) { u.int(); u.name(); u.real(); u.nullInt() },
		"value 6: it is missing": func(u *unpacker) {
			u.int()
			u.name()
			u.real()
			u.bytes()
			u.nullInt()
			u.bytes()
		},
	} {
		u := new(unpacker).of(whole)
		read(u)
		require.EqualError(t, u.err, want)
		require.False(t, u.more())
		require.Zero(t, u.int(), "after an error all values are zero")
	}
	_, err = appendPacked(nil, []driver.Value{true})
	require.EqualError(t, err, "pack a value of type bool")
}

// FuzzUnpacker checks that damaged values are read or refused, and that those read are those packed.
func FuzzUnpacker(f *testing.F) {
	whole, err := appendPacked(nil, []driver.Value{int64(-1), "text", 1.5, []byte{1, 2, 3}, nil, int64(math.MinInt64)})
	require.NoError(f, err)
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte{byte(packedText), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		var values []driver.Value
		var u unpacker
		for u.of(b); u.more(); {
			switch packedKind(u.rest[0]) {
			case packedNull:
				require.Nil(t, u.bytes())
				values = append(values, nil)
			case packedInt:
				values = append(values, u.int())
			case packedReal:
				values = append(values, u.real())
			case packedText:
				values = append(values, u.text())
			default:
				values = append(values, u.bytes())
			}
		}
		if u.err != nil {
			return
		}
		again, err := appendPacked(nil, values)
		require.NoError(t, err)
		require.LessOrEqual(t, len(again), len(b), "there is no shorter form")
	})
}
