package hbasespec

import (
	"fmt"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
)

// examine returns doctor's finding about the facts of a cluster.
func examine(facts map[string]string) descriptor.Finding {
	var f descriptor.Finding
	if version := facts["hbase.version"]; version != "" {
		f.Found += fmt.Sprintf(", HBase %s with %s region servers", version, facts["hbase.servers"])
	}
	if facts[authenticationKey] == kerberos {
		f.Found += ", Kerberos with protection " + facts[protectionKey]
	}
	if tls := facts["hbase.tls"]; tls != "" {
		f.Found += ", " + tls
	}
	if ignored := facts[ignoredKey]; ignored != "" {
		f.Found += "; settings of HBase's own client without an effect: " + strings.ReplaceAll(ignored, ",", ", ")
	}
	if moving := facts["hbase.regions.in_transition"]; moving != "" && moving != "0" {
		f.Found += ", " + moving + " regions in transition"
		f.Cure = "wait with `benchctl admin hbase wait-for-quiet` until they are open"
	}
	return f
}
