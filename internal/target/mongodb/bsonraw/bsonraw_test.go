package bsonraw_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/benchd/benchd/internal/target/mongodb/bsonraw"
)

// command encodes a document with every kind of element.
func command() []byte {
	b, top := bsonraw.Begin(nil)
	b = bsonraw.String(b, "text", []byte("a"))
	b = bsonraw.Binary(b, []byte("field0"), []byte{0, 1, 2})
	b = bsonraw.Int32(b, "small", -7)
	b = bsonraw.Int64(b, "large", 1<<40)
	b = bsonraw.Bool(bsonraw.Bool(b, "yes", true), "no", false)
	b, list := bsonraw.Array(b, "list")
	b = bsonraw.StringAt(b, 0, "x")
	b, inner := bsonraw.DocumentAt(b, 1)
	b = bsonraw.End(bsonraw.Int32(b, "n", 3), inner)
	b = bsonraw.End(b, list)
	b, empty := bsonraw.Document(b, "empty")
	b = bsonraw.End(b, empty)
	return bsonraw.End(b, top)
}

// The driver's own encoder writes the same bytes.
func TestDocumentsAreThoseOfTheDriver(t *testing.T) {
	want, err := bson.Marshal(bson.D{
		{Key: "text", Value: "a"},
		{Key: "field0", Value: []byte{0, 1, 2}},
		{Key: "small", Value: int32(-7)},
		{Key: "large", Value: int64(1 << 40)},
		{Key: "yes", Value: true},
		{Key: "no", Value: false},
		{Key: "list", Value: bson.A{"x", bson.D{{Key: "n", Value: int32(3)}}}},
		{Key: "empty", Value: bson.D{}},
	})
	require.NoError(t, err)
	require.Equal(t, want, command())
}

// elements lists the names and kinds of a document by the reader.
func elements(document []byte) (names []string, kinds []byte, err error) {
	r, err := bsonraw.NewReader(document)
	for err == nil {
		var e bsonraw.Element
		var ok bool
		if e, ok, err = r.Next(); !ok {
			break
		}
		names, kinds = append(names, string(e.Name)), append(kinds, e.Kind)
	}
	return names, kinds, err
}

func TestEveryTypeIsRead(t *testing.T) {
	d := bson.D{
		{Key: "double", Value: 1.5},
		{Key: "id", Value: bson.NewObjectID()},
		{Key: "null", Value: nil},
		{Key: "regex", Value: bson.Regex{Pattern: "a", Options: "i"}},
		{Key: "code", Value: bson.JavaScript("x")},
		{Key: "scope", Value: bson.CodeWithScope{Code: "x", Scope: bson.D{}}},
		{Key: "date", Value: bson.DateTime(1)},
		{Key: "stamp", Value: bson.Timestamp{T: 1}},
		{Key: "decimal", Value: bson.NewDecimal128(1, 2)},
		{Key: "min", Value: bson.MinKey{}},
		{Key: "max", Value: bson.MaxKey{}},
		{Key: "undefined", Value: bson.Undefined{}},
		{Key: "symbol", Value: bson.Symbol("s")},
		{Key: "pointer", Value: bson.DBPointer{DB: "d"}},
		{Key: "n", Value: int32(4)},
	}
	document, err := bson.Marshal(d)
	require.NoError(t, err)
	names, _, err := elements(document)
	require.NoError(t, err)
	require.Len(t, names, len(d))
	n, err := bsonraw.Count(document, "n")
	require.NoError(t, err)
	require.EqualValues(t, 4, n)
	n, err = bsonraw.Count(document, "double")
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
}

// A document that the reader accepts has the elements that the driver finds in it.
func FuzzReader(f *testing.F) {
	f.Add(command())
	f.Add([]byte{5, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, document []byte) {
		names, kinds, err := elements(document)
		if err != nil || bson.Raw(document).Validate() != nil {
			return
		}
		want, err := bson.Raw(document).Elements()
		require.NoError(t, err)
		require.Len(t, names, len(want))
		for i, e := range want {
			require.Equal(t, e.Key(), names[i])
			require.Equal(t, byte(e.Value().Type), kinds[i])
		}
	})
}
