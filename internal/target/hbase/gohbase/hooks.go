package gohbase

import (
	"fmt"
	"reflect"
	"time"
	"unsafe"

	tsuna "github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/compression"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/region"
	"github.com/tsuna/gohbase/zk"
)

// connector makes the connection to a region server, which is not dialled yet.
type connector = func(addr string, kind region.ClientType, queue int, flush time.Duration, user string, read time.Duration,
	codec compression.Codec) hrpc.RegionClient

// hook replaces how a client of gohbase connects to region servers and finds hbase:meta. gohbase has both as fields for its own
// tests, and no option for them. New fails if a version of gohbase has other fields.
func hook(client tsuna.Client, connect connector, locate zk.Client) error {
	if err := set(client, "newRegionClientFn", connect); err != nil {
		return err
	}
	return set(client, "zkClient", locate)
}

// set sets an unexported field of the struct to which client points.
func set[T any](client tsuna.Client, name string, value T) error {
	v := reflect.ValueOf(client)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("gohbase's client is a %s, not a pointer to a struct", v.Type())
	}
	f := v.Elem().FieldByName(name)
	if want := reflect.TypeFor[T](); !f.IsValid() || f.Type() != want {
		return fmt.Errorf("gohbase's client has no field %s of type %s", name, want)
	}
	*(*T)(unsafe.Pointer(f.UnsafeAddr())) = value //nolint:gosec // the type has been checked
	return nil
}
