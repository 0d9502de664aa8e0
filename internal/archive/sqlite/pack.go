package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"modernc.org/sqlite"
)

// SQLite takes locks for each column that is read, and database/sql converts its value, which takes more time than to find the row. So the queries of
// windows return a window with all its measurements in a few blobs, which two SQL functions make:
//
//   - pack(a, b, …) packs its arguments;
//   - pack_rows(a, b, …) is an aggregate. It packs its arguments of all rows, one row after another, and is NULL if there are none.
//
// A packed value is its kind and its content. An unpacker reads it.

// packedKind is the kind of a packed value.
type packedKind byte

const (
	packedNull packedKind = iota
	packedInt             // a varint
	packedReal            // 8 bytes
	packedText            // a varint with its length, and its bytes
	packedBlob            // likewise
)

// connector opens connections that have pack and pack_rows.
type connector struct {
	driver *sqlite.Driver
	name   string    // of the file, with settings
	spare  sync.Pool // of packedRows
}

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.driver.Open(c.name)
}

func (c *connector) Driver() driver.Driver { return c.driver }

// newConnector returns a connector to a file. The functions get texts and blobs that are valid only during a call, because they copy them.
func newConnector(name string) (*connector, error) {
	c := &connector{driver: new(sqlite.Driver), name: name}
	return c, errors.Join(
		c.driver.RegisterFunction("pack", &sqlite.FunctionImpl{
			NArgs: -1, Deterministic: true, VolatileArgs: true,
			Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
				return appendPacked(make([]byte, 0, 8*len(args)), args)
			},
		}),
		c.driver.RegisterFunction("pack_rows", &sqlite.FunctionImpl{
			NArgs: -1, Deterministic: true, VolatileArgs: true,
			MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) {
				if r, ok := c.spare.Get().(*packedRows); ok {
					return r, nil
				}
				return &packedRows{spare: &c.spare}, nil
			},
		}),
	)
}

// packedRows is an evaluation of pack_rows. The next one uses its memory.
type packedRows struct {
	packed []byte
	spare  *sync.Pool
}

func (r *packedRows) Step(_ *sqlite.FunctionContext, args []driver.Value) (err error) {
	r.packed, err = appendPacked(r.packed, args)
	return err
}

func (r *packedRows) WindowValue(*sqlite.FunctionContext) (driver.Value, error) {
	if len(r.packed) == 0 {
		return nil, nil
	}
	return r.packed, nil // it is copied before Final
}

func (*packedRows) WindowInverse(*sqlite.FunctionContext, []driver.Value) error {
	return errors.New("pack_rows is not a window function")
}

func (r *packedRows) Final(*sqlite.FunctionContext) {
	r.packed = r.packed[:0]
	r.spare.Put(r)
}

// appendPacked appends values.
func appendPacked(b []byte, values []driver.Value) ([]byte, error) {
	for _, value := range values {
		switch v := value.(type) {
		case nil:
			b = append(b, byte(packedNull))
		case int64:
			b = binary.AppendVarint(append(b, byte(packedInt)), v)
		case float64:
			b = binary.LittleEndian.AppendUint64(append(b, byte(packedReal)), math.Float64bits(v))
		case string:
			b = append(binary.AppendUvarint(append(b, byte(packedText)), uint64(len(v))), v...)
		case []byte:
			b = append(binary.AppendUvarint(append(b, byte(packedBlob)), uint64(len(v))), v...)
		default:
			return b, fmt.Errorf("pack a value of type %T", value)
		}
	}
	return b, nil
}
