package advice

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/property"
)

// Identity identifies what a run measures. Runs with the same Work do the same on the same system with the same number of
// agents; those with the same Length also end after the same time or number of operations.
type Identity struct {
	Work, Length string
}

// Identify returns the identity of a run with resolved properties on a number of agents. All properties count, and the
// address of the system with them, besides the seed, limits, and those that only concern output.
func Identify(keys []property.Key, properties map[string]string, agents int) Identity {
	output := make(map[string]bool)
	for _, k := range keys {
		output[k.Name] = k.Status == property.Reporting || k.Status == property.Idle
	}
	var work, length []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		line := name + "=" + properties[name]
		switch {
		case output[name] || ignored(name) || properties[name] == "":
		case isLength(name):
			length = append(length, line)
		default:
			work = append(work, line)
		}
	}
	return Identity{Work: hash(append(work, fmt.Sprintf("agents=%d", agents))), Length: hash(length)}
}

// ignored are the properties that do not change what is measured. With a seed, insert.numbers has another default.
func ignored(name string) bool {
	switch name {
	case "seed", "insert.numbers", "handover.after", "interval":
		return true
	}
	return strings.HasPrefix(name, "limit.")
}

// isLength are the properties that bound the phases of a run.
func isLength(name string) bool {
	switch name {
	case "duration", "operationcount", "warmup", "warmup.ops", "warmup.until":
		return true
	}
	return false
}

func hash(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:8])
}
