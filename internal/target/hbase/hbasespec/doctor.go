package hbasespec

import (
	"fmt"

	"github.com/benchd/benchd/internal/descriptor"
)

// examine returns doctor's finding about the facts of a cluster.
func examine(facts map[string]string) descriptor.Finding {
	var f descriptor.Finding
	if version := facts["hbase.version"]; version != "" {
		f.Found += fmt.Sprintf(", HBase %s with %s region servers", version, facts["hbase.servers"])
	}
	if moving := facts["hbase.regions.in_transition"]; moving != "" && moving != "0" {
		f.Found += ", " + moving + " regions in transition"
		f.Cure = "wait with `benchctl admin hbase wait-for-quiet` until they are open"
	}
	return f
}
