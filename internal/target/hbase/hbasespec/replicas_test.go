package hbasespec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/spec"
)

// What timeline-consistent reads cannot be combined with is refused before anything runs.
func TestTimelineReadsAreRefusedWhereTheyCannotBe(t *testing.T) {
	parse := func(pairs ...string) error {
		_, _, err := reader().Parse(spec.Submission{Properties: p(append([]string{
			"db", "hbase", "columnfamily", "cf", "recordcount", "10", "operationcount", "10", "readproportion", "1", "hbase.consistency", "timeline",
		}, pairs...)...)})
		return err
	}
	require.NoError(t, parse())
	for name, test := range map[string]struct {
		pairs []string
		want  string
	}{
		"unknown":   {[]string{"hbase.consistency", "weak"}, "strong, timeline"},
		"integrity": {[]string{"dataintegrity", "true"}, "-p: dataintegrity: verifies that reads return what was written, and conflicts with hbase.consistency=timeline; a replica may lack a row that was just written: use hbase.consistency=strong"},
		"batching":  {[]string{"hbase.batch.size", "8"}, "-p: hbase.batch.size: lets operations share requests, and conflicts with hbase.consistency=timeline; only single reads and scans ask replicas: remove it, or use hbase.consistency=strong"},
		"multi-get": {[]string{"multigetproportion", "0.1"}, "-p: multigetproportion: reads several rows in one request, and conflicts with hbase.consistency=timeline;"},
		"recreate":  {[]string{"hbase.table.create", "recreate"}, "-p: hbase.consistency: needs replicas, and hbase.table.create=recreate makes a table without any; set hbase.regionreplication=2 or more"},
		"gohbase":   {[]string{"hbase.client", "gohbase"}, "-p: hbase.consistency: lets replicas of regions answer reads, which hbase.client=gohbase does not have; use hbase.client=native"},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorContains(t, parse(test.pairs...), test.want) })
	}
}
