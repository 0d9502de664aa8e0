package store

import (
	"crypto/md5" //nolint:gosec // HBase names regions so; nothing is protected by it.
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// What can be wrong with a request. The errors returned wrap one of these and name the thing.
var (
	ErrNamespaceExists   = errors.New("namespace exists")
	ErrNamespaceNotFound = errors.New("namespace not found")
	ErrNamespaceInUse    = errors.New("namespace has tables, or is one of HBase's own")
	ErrTableExists       = errors.New("table exists")
	ErrTableNotFound     = errors.New("table not found")
	ErrTableEnabled      = errors.New("table is enabled")
	ErrTableDisabled     = errors.New("table is disabled")
	ErrRegionNotFound    = errors.New("region not found")
	ErrRegionGone        = errors.New("region is not online")      // it was split, merged, closed, or its table dropped
	ErrWrongRegion       = errors.New("row is not in this region") // HBase: WrongRegionException
	ErrNoFamily          = errors.New("no such column family")     // HBase: NoSuchColumnFamilyException
	ErrBadRequest        = errors.New("request makes no sense")    // HBase: DoNotRetryIOException
	ErrNoSplit           = errors.New("region cannot be split there")
	ErrNotANumber        = errors.New("value is not eight bytes") // HBase: DoNotRetryIOException, of an increment
	ErrFull              = errors.New("sandbox holds no more")    // HBase: quotas.SpaceLimitingException
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

// String spells the name as HBase does: without the namespace when it is the default one.
func (n Name) String() string {
	if n.Namespace == DefaultNamespace || n.Namespace == "" {
		return n.Qualifier
	}
	return n.Namespace + ":" + n.Qualifier
}

// Namespace is a namespace with its descriptor, which the store does not read.
type Namespace struct {
	Name       string
	Descriptor []byte
}

// Family says how long the cells of a column family live.
type Family struct {
	Name        string
	MaxVersions int           // at least 1
	MinVersions int           // so many are kept though they have expired
	TTL         time.Duration // zero: for ever
}

// TableState is whether a table serves.
type TableState string

// The states of a table.
const (
	Enabled  TableState = "ENABLED"
	Disabled TableState = "DISABLED"
)

// Table is a table as the catalogue has it.
type Table struct {
	Name       Name
	Descriptor []byte // the message that it was created with; the store does not read it
	Families   []Family
	State      TableState
	ReadOnly   bool // cells are not to be changed; the store leaves that to its users
}

// RegionState is whether a region serves.
type RegionState string

// The states of a region.
const (
	Online  RegionState = "OPEN"
	Offline RegionState = "CLOSED"
)

// RegionInfo is a region as the catalogue has it.
type RegionInfo struct {
	Table      Name
	ID         int64 // milliseconds since 1970 at its making, as in HBase; unique
	Start, End []byte
	Encoded    string
	Server     string // as its owner spells it; the store does not read it
	State      RegionState
}

// RegionName is the region's full name, its row in hbase:meta: table, start key, id and encoded name.
func (r *RegionInfo) RegionName() []byte {
	return append(regionPrefix(r.Table, r.Start, r.ID), "."+r.Encoded+"."...)
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

// Contains reports whether the region is where the row belongs.
func (r *RegionInfo) Contains(row []byte) bool {
	return string(row) >= string(r.Start) && (len(r.End) == 0 || string(row) < string(r.End))
}

func (r *RegionInfo) clone() RegionInfo {
	c := *r
	c.Start, c.End = append([]byte(nil), r.Start...), append([]byte(nil), r.End...)
	return c
}

func about(err error, what any) error { return fmt.Errorf("%w: %v", err, what) }
