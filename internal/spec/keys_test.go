package spec

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/target/null/nullspec"
)

func TestEveryKeyIsCompleteAndUnique(t *testing.T) {
	seen := make(map[string]bool)
	tab := reader().table
	for _, k := range reader().Keys() {
		t.Run(k.Name, func(t *testing.T) {
			require.False(t, seen[k.Name], "is there twice")
			seen[k.Name] = true
			require.NotEmpty(t, k.Kind)
			require.Empty(t, tab.foreign(k.Name), "looks like another binding's")
			switch k.Status {
			case property.Refused, property.Idle:
				require.NotEmpty(t, k.Reason)
				return
			case property.Alias:
				of, ok := tab.find(k.Of)
				require.True(t, ok)
				require.Equal(t, property.Honoured, of.Status)
			case property.Honoured, property.Reporting:
				require.Empty(t, k.Of)
			default:
				t.Errorf("status %q", k.Status)
			}
			require.NotEmpty(t, k.Doc)
			require.NotContains(t, k.Doc, "\n")
			if k.Default != "" {
				canonical, err := k.Canonical(k.Default)
				require.NoError(t, err)
				require.Equal(t, k.Default, canonical, "a default is written as resolved settings write it")
			}
		})
	}
}

// The names are the properties of YCSB in a report of 2017, and the further ones of YCSB's core.
func TestEveryPropertyOfYCSBIsKnown(t *testing.T) {
	const names = `workload db recordcount operationcount insertstart insertcount threadcount target maxexecutiontime dotransactions
		status status.interval label exporter exportfile spin.sleep table fieldcount fieldnameprefix fieldlength minfieldlength
		fieldlengthdistribution fieldlengthhistogram readallfields readallfieldsbyname writeallfields dataintegrity
		readproportion updateproportion insertproportion scanproportion readmodifywriteproportion requestdistribution
		minscanlength maxscanlength scanlengthdistribution insertorder zeropadding hotspotdatafraction hotspotopnfraction
		exponential.percentile exponential.frac core_workload_insertion_retry_limit core_workload_insertion_retry_interval
		core_workload_insertion_keep_going_on_error measurementtype measurement.interval measurement.trackjvm
		hdrhistogram.percentiles hdrhistogram.fileoutput hdrhistogram.output.path measurement.histogram.verbose histogram.buckets
		timeseries.granularity maxscanrate scanoptimelimit discardscannedrecord measurement.raw.output_file measurement.raw.no_summary reportlatencyforeacherror latencytrackederrors
		columnfamily clientbuffering writebuffersize durability hbase.usepagefilter hbase.usescanvaluefiltering
		hbase.scanfilteroperator hbase.scanfiltervalue principal keytab debug`
	tab := reader().table
	for name := range strings.FieldsSeq(names) {
		_, ok := tab.find(name)
		require.True(t, ok, name)
	}
	for _, name := range []string{"basicdb.verbose", "htrace.sampler.fraction", "mongodb.url", "cassandra.readconsistencylevel", "jdbc.fetchsize", "db.url"} {
		require.NotEmpty(t, tab.foreign(name), name)
	}
}

// other returns a value that differs from the key's default.
func other(t *testing.T, k property.Key) string {
	t.Helper()
	switch k.Kind {
	case property.Int:
		if k.Default == "7" {
			return "8"
		}
		return "7"
	case property.Float, property.Percent:
		return "0.25"
	case property.Bool:
		if k.Default == "true" {
			return "false"
		}
		return "true"
	case property.Enum:
		for _, v := range k.Values {
			if v != k.Default {
				return v
			}
		}
	case property.Duration:
		return "7s"
	case property.Rate:
		return "7"
	case property.Secret:
		return "file:other"
	case property.Text, property.List:
		if k.Name == "null.service" {
			return "constant 7ms"
		}
		if k.Name == "telemetry.endpoints" {
			return "node=http://host:9100/metrics"
		}
		if k.Name == ActionsProperty {
			return "7s flush"
		}
		if k.Name == "tagcardinality" || k.Name == "groupbykeys" {
			return "3,7"
		}
		if k.Name == searchKeep {
			return "mean < 7s"
		}
		if k.Name == keyTemplate {
			return "{seq}"
		}
		return "other"
	}
	t.Fatalf("no other value of %s", k.Name)
	return ""
}

func TestEveryHonouredKeyReachesTheSettings(t *testing.T) {
	elsewhere := map[string]string{
		"workload": "has a test of its own", "table": "targets read it", "fieldlengthhistogram": "its content is used",
		HistogramContent: "needs a distribution; has a test of its own", "arrival": "needs a rate; has a test of its own",
		valueSizes: "its content is used", SizesContent: "needs a distribution; has a test of its own",
		TraceFile: "needs its card; has a test of its own", TraceCard: "has a test of its own", replaySpeed: "needs a trace; has a test of its own",
		"requesthistogram": "its content is used", RequestsContent: "needs a distribution; the model of a trace tests it",
		"groups": "needs settings of each group; has a test of its own",
	}
	byDefault := property.Values{}
	for _, k := range reader().Keys() {
		byDefault[k.Name] = k.Default
	}
	byDefault[searchVary] = "threads" // a search needs it
	settings := values{byDefault, reader().table.targets}.settings()
	searched := values{byDefault, reader().table.targets}.search()
	for _, k := range reader().Keys() {
		if k.Status != property.Honoured || elsewhere[k.Name] != "" || !k.Serves(nullspec.Name) {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			value := other(t, k)
			canonical, err := k.Canonical(value)
			require.NoError(t, err)
			switch {
			case strings.HasPrefix(k.Name, "search."):
				v := maps.Clone(byDefault)
				v[k.Name] = canonical
				require.NotEqual(t, searched, values{v, reader().table.targets}.search())
			case slices.ContainsFunc(seriesKeys(), func(one property.Key) bool { return one.Name == k.Name }):
				v := maps.Clone(byDefault)
				v["workload"], v["groupbyfunction"], v["groupbykeys"] = seriesWorkload, "sum", "0,1,0,1"
				before := values{v, reader().table.targets}.settings()
				if v[k.Name] = canonical; k.Name == "randomtimeseriesorder" {
					v[k.Name] = "false" // its default is true
				}
				require.NotEqual(t, before, values{v, reader().table.targets}.settings())
			case len(k.Targets) > 0:
				before, err := nullspec.Read(nil)
				require.NoError(t, err)
				after, err := nullspec.Read(map[string]string{k.Name: value})
				require.NoError(t, err)
				require.NotEqual(t, before, after)
			default:
				v := maps.Clone(byDefault)
				v[k.Name] = canonical
				require.NotEqual(t, settings, values{v, reader().table.targets}.settings())
			}
		})
	}
}

func TestDefaultsAreThoseOfYCSB(t *testing.T) {
	for name, want := range map[string]string{
		"recordcount": "0", "operationcount": "0", "threadcount": "1", "target": "0", "table": "usertable", "fieldcount": "10",
		"fieldlength": "100", "minfieldlength": "1", "readproportion": "0.95", "updateproportion": "0.05",
		"requestdistribution": "uniform", "maxscanlength": "1000", "insertorder": "hashed", "zeropadding": "1",
		"hotspotdatafraction": "0.2", "hotspotopnfraction": "0.8", "exponential.percentile": "95", "exponential.frac": "0.8571428571",
		"measurementtype": "hdrhistogram", "writebuffersize": "12582912", "keyprefix": "user", "limit.notfound": "0.001",
	} {
		require.Equal(t, want, reader().table.defaultOf(name), name)
	}
}

func TestNearestName(t *testing.T) {
	for word, want := range map[string]string{
		"recordCount": "recordcount", "opertioncount": "operationcount", "requestdistribtion": "requestdistribution",
		"treadcount": "threadcount", "fieldlenght": "fieldlength", "readpropotion": "readproportion", "xyzzy": "",
		"hbase.zookeeper.quorom": "hbase.zookeeper.quorum", "null.servce": "null.service",
		"hbase.somewhere.quorum": "hbase.zookeeper.quorum", "hbase": "", strings.Repeat("recordcount", 50): "",
	} {
		require.Equal(t, want, reader().table.near(word), word)
	}
}

func TestSettingsOfPhases(t *testing.T) {
	for phase, want := range map[string]plan.Settings{
		"load": {Load: true}, "run": {Run: true}, "load,run": {Load: true, Run: true},
	} {
		got := values{Values: property.Values{"phase": phase}}.settings()
		require.Equal(t, want.Load, got.Load, phase)
		require.Equal(t, want.Run, got.Run, phase)
	}
}

// A misspelt property of a target is a mistake, although YCSB's binding for another system has that prefix too.
func TestAPrefixOfATargetIsNotForeign(t *testing.T) {
	targets := descriptor.List{{Name: "mongodb", Keys: []property.Key{{Name: "mongodb.url", Kind: property.Text}}}}
	tab := newTable(targets)
	require.Empty(t, tab.foreign("mongodb.ulr"))
	require.Equal(t, "cassandra.", tab.foreign("cassandra.readconsistencylevel"))
	_, _, err := NewReader(targets...).Parse(Submission{Properties: []Setting{
		{Key: "db", Value: "mongodb"}, {Key: "mongodb.ulr", Value: "x"}, {Key: "recordcount", Value: "1"}, {Key: "operationcount", Value: "1"},
	}})
	require.ErrorContains(t, err, "mongodb.ulr: unknown property; did you mean mongodb.url?")
}
