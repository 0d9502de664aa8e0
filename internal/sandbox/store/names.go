package store

import (
	"crypto/md5" //nolint:gosec // HBase names regions so; nothing is protected by it.
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// The kinds of errors. Returned errors wrap one of these and name the object.
var (
	ErrNamespaceExists   = errors.New("namespace exists")
	ErrNamespaceNotFound = errors.New("namespace not found")
	ErrNamespaceInUse    = errors.New("namespace has tables, or is one of HBase's own")
	ErrTableExists       = errors.New("table exists")
	ErrTableNotFound     = errors.New("table not found")
	ErrTableEnabled      = errors.New("table is enabled")
	ErrTableDisabled     = errors.New("table is disabled")
	ErrSnapshotExists    = errors.New("snapshot exists")
	ErrSnapshotNotFound  = errors.New("snapshot not found")
	ErrRegionNotFound    = errors.New("region not found")
	ErrRegionGone        = errors.New("region is not online")      // it was split, merged, closed, or its table dropped
	ErrWrongRegion       = errors.New("row is not in this region") // HBase: WrongRegionException
	ErrNoFamily          = errors.New("no such column family")     // HBase: NoSuchColumnFamilyException
	ErrBadRequest        = errors.New("invalid request")           // HBase: DoNotRetryIOException
	ErrNoSplit           = errors.New("region cannot be split there")
	ErrNotANumber        = errors.New("value is not eight bytes") // HBase: DoNotRetryIOException, of an increment
	ErrFull              = errors.New("sandbox is full")          // HBase: quotas.SpaceLimitingException
	ErrTooLarge          = errors.New("cell or row is too large") // HBase: DoNotRetryIOException
	ErrClosed            = errors.New("store or scanner is closed")
)

// Name is a table's name.
type Name struct{ Namespace, Qualifier string }

// Names of the namespaces that always exist.
const (
	DefaultNamespace = "default"
	SystemNamespace  = "hbase"
)

// String is the name in HBase's form: without the namespace if it is the default one.
func (n Name) String() string {
	if n.Namespace == DefaultNamespace || n.Namespace == "" {
		return n.Qualifier
	}
	return n.Namespace + ":" + n.Qualifier
}

// Namespace is a namespace with its descriptor, which is opaque to the store.
type Namespace struct {
	Name       string
	Descriptor []byte
}

// Family sets how long the cells of a column family live.
type Family struct {
	Name        string
	MaxVersions int           // at least 1
	MinVersions int           // versions to keep even if they have expired
	TTL         time.Duration // zero: forever
}

// TableState is the state of a table.
type TableState string

// The states of a table.
const (
	Enabled  TableState = "ENABLED"
	Disabled TableState = "DISABLED"
)

// Table is a table's entry in the catalogue.
type Table struct {
	Name       Name
	Descriptor []byte // the message that created it; opaque to the store
	Families   []Family
	State      TableState
	ReadOnly   bool // cells must not be changed; the store's users enforce it
	Replicas   int  // of each region, itself included; the store's users provide them
}

// RegionState is the state of a region.
type RegionState string

// The states of a region.
const (
	Online  RegionState = "OPEN"
	Offline RegionState = "CLOSED"
)

// RegionInfo is a region's entry in the catalogue.
type RegionInfo struct {
	Table      Name
	ID         int64 // creation time in milliseconds since 1970, as in HBase; unique
	Start, End []byte
	Encoded    string
	Server     string // in its owner's form; opaque to the store
	State      RegionState
}

// RegionName is the region's full name, its row in hbase:meta: table, start key, id and encoded name.
func (r *RegionInfo) RegionName() []byte {
	return append(regionPrefix(r.Table, r.Start, r.ID), "."+r.Encoded+"."...)
}

// Replica returns the full and the encoded name of a region's replica, numbered from 1.
func (r *RegionInfo) Replica(id int) (name []byte, encoded string) {
	name = fmt.Appendf(regionPrefix(r.Table, r.Start, r.ID), "_%04X", id)
	sum := md5.Sum(name) //nolint:gosec // as above
	encoded = hex.EncodeToString(sum[:])
	return append(name, "."+encoded+"."...), encoded
}

func regionPrefix(table Name, start []byte, id int64) []byte {
	name := append([]byte(table.String()), ',')
	name = append(append(name, start...), ',')
	return strconv.AppendInt(name, id, 10)
}

func encodedName(table Name, start []byte, id int64) string {
	sum := md5.Sum(regionPrefix(table, start, id)) //nolint:gosec // as above
	return hex.EncodeToString(sum[:])
}

// Contains reports whether the row belongs to the region.
func (r *RegionInfo) Contains(row []byte) bool {
	return string(row) >= string(r.Start) && (len(r.End) == 0 || string(row) < string(r.End))
}

func (r *RegionInfo) clone() RegionInfo {
	c := *r
	c.Start, c.End = append([]byte(nil), r.Start...), append([]byte(nil), r.End...)
	return c
}

func about(err error, what any) error { return fmt.Errorf("%w: %v", err, what) }
