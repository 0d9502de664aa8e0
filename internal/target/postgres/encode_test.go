package postgres

import (
	"encoding/binary"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// A document is what encoding/json reads as the same texts.
func FuzzDocument(f *testing.F) {
	f.Add("field0", `a "b" \c\`)
	f.Add("field1", "\x00\x1f\x7f ünï\u2028")
	f.Fuzz(func(t *testing.T, field, value string) {
		if !utf8.ValidString(field + value) {
			return // the server refuses it
		}
		document := appendDocument(nil, [][]byte{[]byte(field), []byte(field + "x")}, [][]byte{[]byte(value), []byte("1")})
		var got map[string]string
		require.NoError(t, json.Unmarshal(document, &got), "%s", document)
		require.Equal(t, map[string]string{field: value, field + "x": "1"}, got)
		require.NoError(t, collectDocument(document, func(name, v []byte) { require.Equal(t, got[string(name)], string(v)) }))
	})
}

// An array has PostgreSQL's binary form: five numbers, and each element with its length.
func TestArrays(t *testing.T) {
	values := [][]byte{[]byte("a0"), []byte("b"), []byte("a1"), []byte("")}
	for name, test := range map[string]struct {
		first, step int
		want        []string
	}{
		"all":           {0, 1, []string{"a0", "b", "a1", ""}},
		"first column":  {0, 2, []string{"a0", "a1"}},
		"second column": {1, 2, []string{"b", ""}},
		"none":          {4, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, elements(t, textType, appendArray(nil, values, test.first, test.step)))
		})
	}
	fields := [][]byte{[]byte("f0"), []byte("f1")}
	require.Equal(t, []string{"\x01{\"f0\":\"a0\",\"f1\":\"b\"}", "\x01{\"f0\":\"a1\",\"f1\":\"\"}"}, elements(t, jsonbType, appendDocuments(nil, fields, values, 2)))
}

// elements reads an array.
func elements(t *testing.T, kind int, array []byte) (all []string) {
	t.Helper()
	number := func() int {
		n := binary.BigEndian.Uint32(array)
		array = array[4:]
		return int(n)
	}
	require.Equal(t, []int{1, 0, kind}, []int{number(), number(), number()})
	n := number()
	require.Equal(t, 1, number())
	for range n {
		length := number()
		all = append(all, string(array[:length]))
		array = array[length:]
	}
	require.Empty(t, array)
	return all
}

func TestTagsHaveTheNumberOfRows(t *testing.T) {
	for tag, want := range map[string]int64{"UPDATE 1": 1, "INSERT 0 5000": 5000, "SELECT 12": 12, "CREATE TABLE": 0, "": 0} {
		require.Equal(t, want, affected([]byte(tag)), tag)
	}
}

// Every statement is one line of SQL, as reviewed here.
func TestStatements(t *testing.T) {
	two := [][]byte{[]byte("field0"), []byte("Field'1")}
	columns := dialect{table: `"usertable"`, upsert: true}
	documents := dialect{table: `"usertable"`, jsonb: true}
	for want, got := range map[string]string{
		`SELECT * FROM "usertable" WHERE ycsb_key = $1`:                                              columns.sql(read, nil),
		`SELECT "field0", "field'1" FROM "usertable" WHERE ycsb_key = $1`:                            columns.sql(read, two),
		`SELECT * FROM "usertable" WHERE ycsb_key = ANY($1::text[])`:                                 columns.sql(readSeveral, nil),
		`SELECT ycsb_key, "field0" FROM "usertable" WHERE ycsb_key >= $1 ORDER BY ycsb_key LIMIT $2`: columns.sql(scan, two[:1]),
		`INSERT INTO "usertable" (ycsb_key, "field0", "field'1") VALUES ($1, $2, $3) ON CONFLICT (ycsb_key) DO UPDATE SET "field0" = excluded."field0", "field'1" = excluded."field'1"`: columns.sql(insert, two),
		`UPDATE "usertable" SET "field0" = $2, "field'1" = $3 WHERE ycsb_key = $1`:                                                                                                      columns.sql(update, two),
		`UPDATE "usertable" SET "field0" = $2 WHERE ycsb_key = $1 AND "field0" IS NOT NULL`:                                                                                             columns.sql(updateIf, two[:1]),
		`UPDATE "usertable" SET "field0" = coalesce("field0", '') || $2::text WHERE ycsb_key = $1`:                                                                                      columns.sql(appendTo, two[:1]),
		`DELETE FROM "usertable" WHERE ycsb_key = $1`:                                                                                                                                   columns.sql(remove, nil),
		`SELECT ycsb_value FROM "usertable" WHERE ycsb_key = $1`:                                                                                                                        documents.sql(read, nil),
		`SELECT ycsb_value->>'field0' AS "field0", ycsb_value->>'Field''1' AS "field'1" FROM "usertable" WHERE ycsb_key = $1`:                                                           documents.sql(read, two),
		`INSERT INTO "usertable" (ycsb_key, ycsb_value) SELECT * FROM unnest($1::text[], $2::jsonb[])`:                                                                                  documents.sql(insertSeveral, two),
		`UPDATE "usertable" SET ycsb_value = ycsb_value || $2::jsonb WHERE ycsb_key = $1`:                                                                                               documents.sql(update, nil),
		`UPDATE "usertable" SET ycsb_value = ycsb_value || $2::jsonb WHERE ycsb_key = $1 AND ycsb_value ? 'field0'`:                                                                     documents.sql(updateIf, two[:1]),
	} {
		require.Equal(t, want, got)
	}
	for f := range forms {
		require.NotEmpty(t, columns.sql(f, two))
		require.NotContains(t, documents.sql(f, two), "\n")
	}
}
