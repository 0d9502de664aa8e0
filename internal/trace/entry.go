package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/suggest"
	"github.com/benchd/benchd/internal/workload"
)

// Bounds on entries. A longer key or a larger value fits into no target.
const (
	MaxKey  = 32 << 10
	MaxSize = 64 << 20
	MaxRows = 1e9
	// MaxLength is the longest time from the first operation to the last one: about ten years.
	MaxLength = int64(10*365*86400) * 1e9
)

// HashBytes is the length of the keys of a trace with hashed keys.
const HashBytes = 8

// Entry is one operation of a trace.
type Entry struct {
	At   int64 // ns since the first operation
	Kind workload.Kind
	Key  []byte // of the row, or HashBytes of its hash
	Size int    // bytes of the values that it writes or has read; 0 if unknown
	Rows int    // of a scan; 0 if unknown
}

// kinds are the kinds of operation that a trace can contain. Their positions are the codes in files.
func kinds() []workload.Kind {
	return []workload.Kind{
		workload.Read, workload.Update, workload.Insert, workload.Scan, workload.ReadModifyWrite,
		workload.Delete, workload.Increment, workload.Append, workload.CheckAndPut,
	}
}

// KindNames returns the names of the kinds of operation that a trace can contain.
func KindNames() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.String())
	}
	return names
}

// words are other names of kinds, in logs of applications and servers.
func words() map[string]workload.Kind {
	return map[string]workload.Kind{
		"GET": workload.Read, "PUT": workload.Update, "MUTATE": workload.Update, "WRITE": workload.Update, "UPSERT": workload.Update,
		"RMW": workload.ReadModifyWrite, "REMOVE": workload.Delete, "INCR": workload.Increment,
		"CAS": workload.CheckAndPut, "CHECKANDPUT": workload.CheckAndPut,
	}
}

// ParseKind returns the kind of operation with a name: that of a result, or a usual one such as GET or PUT. Case does not matter.
func ParseKind(name string) (workload.Kind, error) {
	upper := strings.ToUpper(strings.TrimSpace(name))
	for _, k := range kinds() {
		if k.String() == upper {
			return k, nil
		}
	}
	if k, ok := words()[upper]; ok {
		return k, nil
	}
	known := KindNames()
	for word := range words() {
		known = append(known, word)
	}
	slices.Sort(known)
	if upper == workload.MultiGet.String() {
		return 0, fmt.Errorf("invalid operation %q: a trace has a line for each key; write one READ for each", name)
	}
	if near := suggest.Nearest(upper, known); near != "" {
		return 0, fmt.Errorf("unknown operation %q; did you mean %s?", name, near)
	}
	return 0, fmt.Errorf("unknown operation %q: want one of %s", name, strings.Join(KindNames(), ", "))
}

// writes reports whether an operation writes values.
func writes(k workload.Kind) bool {
	switch k {
	case workload.Update, workload.Insert, workload.ReadModifyWrite, workload.Append, workload.CheckAndPut:
		return true
	default:
		return false
	}
}

// Hash is the hash of a key that assigns it to a worker: FNV-1a with 64 bits, and a final mix, because the number of workers is
// often a power of two.
func Hash(key []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, b := range key {
		h = (h ^ uint64(b)) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
