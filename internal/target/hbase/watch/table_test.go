package watch

import (
	"fmt"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// clusterOf has the regions of tables on servers: for each region its requests so far.
type clusterOf map[string]map[string]uint64

// rates returns the samples of a table in one status after another, three seconds apart, by figure and source.
func ratesOf(t *testing.T, table string, statuses ...clusterOf) (last map[string]map[string]float64, sources map[string]bool) {
	t.Helper()
	sources = make(map[string]bool)
	synctest.Test(t, func(*testing.T) {
		loads, rates := newTableLoads(table), observe.NewRates()
		rates.Since(clock.Mono().Add(-time.Hour))
		for _, status := range statuses {
			<-time.After(3 * time.Second)
			last = make(map[string]map[string]float64)
			for _, name := range sortedKeys(status) {
				s := admin.Server{Name: name}
				for _, region := range sortedKeys(status[name]) {
					s.RegionLoads = append(s.RegionLoads, admin.Load{Region: region, Reads: status[name][region]})
				}
				loads.note(&s, addressOf(name), clock.Mono())
			}
			for _, g := range loads.take() {
				for _, sample := range rates.Take(nil, &g) {
					if last[sample.Name] == nil {
						last[sample.Name] = make(map[string]float64)
					}
					last[sample.Name][sample.Source] = sample.Value
					if sample.Name == "hbase.region.requests" {
						sources[sample.Source] = true
					}
				}
			}
		}
	})
	return last, sources
}

// name is the name of the region of a table that starts at a key.
func name(table, start string) string {
	return table + "," + start + ",1700000000000.0123456789abcdef."
}

func TestRequestsOfATableByServerAndRegion(t *testing.T) {
	a, b, c := name("usertable", ""), name("usertable", "user4"), name("usertable", "user,7")
	other := name("usertables", "")
	last, _ := ratesOf(t, "usertable",
		clusterOf{"rs1,16020,1": {a: 100, b: 200, other: 50}, "rs2,16020,1": {c: 7}},
		clusterOf{"rs1,16020,1": {a: 400, b: 200, other: 950}, "rs2,16020,1": {c: 37}},
	)
	require.Equal(t, map[string]map[string]float64{
		"hbase.regionserver.table_requests": {"rs1:16020": 100, "rs2:16020": 10},
		"hbase.regionserver.table_regions":  {"rs1:16020": 2, "rs2:16020": 1},
		"hbase.region.requests":             {"usertable,": 100, "usertable,user4": 0, "usertable,user,7": 10},
	}, last)
}

func TestARegionThatMovesHasNoRateFromItsOldCounts(t *testing.T) {
	a := name("usertable", "")
	last, _ := ratesOf(t, "usertable",
		clusterOf{"rs1,16020,1": {a: 1000}, "rs2,16020,1": {}},
		clusterOf{"rs1,16020,1": {a: 1300}, "rs2,16020,1": {}},
		clusterOf{"rs1,16020,1": {}, "rs2,16020,1": {a: 5000}}, // an upgraded region that kept its counts
	)
	require.Empty(t, last["hbase.region.requests"])
	require.Equal(t, map[string]float64{"rs1:16020": 0, "rs2:16020": 0}, last["hbase.regionserver.table_requests"])
	last, _ = ratesOf(t, "usertable",
		clusterOf{"rs1,16020,1": {a: 1000}},
		clusterOf{"rs1,16020,1": {a: 10}}, // opened again
		clusterOf{"rs1,16020,1": {a: 40}},
	)
	require.Equal(t, map[string]float64{"usertable,": 10}, last["hbase.region.requests"])
}

// A run of days over a large table, whose busy region changes all the time, must not make a figure of each region.
func TestThereIsABoundedNumberOfRegionFigures(t *testing.T) {
	const regions = 500
	counts := make(map[string]uint64, regions)
	var statuses []clusterOf
	snapshot := func() {
		statuses = append(statuses, clusterOf{"rs1,16020,1": maps.Clone(counts)})
	}
	for i := range regions {
		counts[name("usertable", fmt.Sprintf("user%03d", i))] = 0
	}
	snapshot()
	for range 3 { // even
		for k := range counts {
			counts[k] += 10
		}
		snapshot()
	}
	_, sources := ratesOf(t, "usertable", statuses...)
	require.Empty(t, sources, "no region of a large table is busier than the others")

	for i := range regions {
		counts[name("usertable", fmt.Sprintf("user%03d", i))] += 10_000
		snapshot()
	}
	last, sources := ratesOf(t, "usertable", statuses...)
	require.Len(t, sources, maxNamed)
	require.Len(t, last["hbase.region.requests"], maxNamed, "also while they are idle")
	require.Contains(t, sources, "usertable,user000", "the busiest is among them from its first status on")
}
