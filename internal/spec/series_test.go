package spec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/workload"
)

// seriesFile is YCSB's tsworkloada, in other words.
const seriesFile = `workload=site.ycsb.workloads.TimeSeriesWorkload
recordcount=1474560
operationcount=2949120
fieldlength=8
fieldcount=64
tagcount=4
tagcardinality=1,2,4,2
tagpairdelimiter==
deletedelimiter=:
delayedSeries=0.0
timestampunits=seconds
querytimespan=3600
readproportion=0.10
updateproportion=0.00
insertproportion=0.90
`

func TestTimeSeriesHaveYCSBsDefaults(t *testing.T) {
	parse := func(more ...string) (*workload.Config, []string, error) {
		suite, warnings, err := reader().Parse(Submission{Files: []File{{Name: "ts", Content: []byte(seriesFile)}}, Properties: p(append([]string{"db", "null"}, more...)...)})
		if err != nil {
			return nil, nil, err
		}
		var texts []string
		for _, w := range warnings {
			texts = append(texts, w.String())
		}
		require.False(t, suite.Cases[0].Settings.ContinueInserts)
		return &suite.Cases[0].Settings.Workload, texts, nil
	}
	c, warnings, err := parse()
	require.NoError(t, err)
	require.Equal(t, []string{"ts:10: delayedSeries: has no effect: YCSB reads this property in small letters, and so ignores it, too"}, warnings)
	require.Equal(t, &workload.Series{
		Start: 1483228800, Interval: 60, Units: workload.Seconds, Tags: []int{1, 2, 4, 2}, TagKeyLength: 8, TagValueLength: 8, RandomOrder: true,
		Values: workload.Floats, DelayedSeries: 0.1, DelayedIntervals: 5, Span: 3600, TimestampKey: "YCSBTS", ValueKey: "YCSBV",
		PairDelimiter: "=", DeleteDelimiter: ":", SpanDelimiter: ",", GroupKey: "YCSBGB", DownsampleKey: "YCSBDS",
	}, c.Series)
	c, _, err = parse("insertstart", "1500000000", "tagcount", "6", "groupbyfunction", "sum", "groupbykeys", "0, 0, 1,1,0,0")
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 4, 2, 1, 1}, c.Series.Tags)
	require.Equal(t, []bool{false, false, true, true, false, false}, c.Series.GroupBy)
	require.EqualValues(t, 1500000000, c.Series.Start)
	require.Zero(t, c.InsertStart, "it is no row")

	for want, more := range map[string][]string{
		"ts:5: fieldcount: 64 is less than the number of threads, 65":                            {"threadcount", "65"},
		"ts:1: workload: conflicts with trace (-p): a replay repeats the operations of its file": {"trace", "x.trace"},
		`-p: valuetype: unknown value "mixed" (one of integers, floats, mixednumbers)`:           {"valuetype", "mixed"},
		"-p: timestampunits: NANOSECONDS are not supported, as in YCSB":                          {"timestampunits", "nanoseconds"},
		`-p: tagcardinality: invalid number "x"`:                                                 {"tagcardinality", "1,x"},
		"groupbykeys: 0 is not the number of tags":                                               {"groupbyfunction", "sum"},
		"-p: tagcont: unknown property; did you mean tagcount?":                                  {"tagcont", "4"},
		"-p: dataintegrity: true is not possible with TimeSeriesWorkload":                        {"dataintegrity", "true"},
	} {
		_, _, err := parse(more...)
		require.ErrorContains(t, err, want)
	}
}

func TestATargetWithFixedFieldsRefusesTimeSeries(t *testing.T) {
	two := NewReader(descriptor.Target{Name: "columns", Operations: []workload.Kind{workload.Read, workload.Insert}}, descriptor.Target{Name: "any", AnyFields: true})
	_, _, err := two.Parse(Submission{Properties: p("db", "columns", "workload", "TimeSeriesWorkload", "recordcount", "1000", "operationcount", "10", "readproportion", "1", "updateproportion", "0")})
	require.EqualError(t, err, "-p: workload: target columns cannot have TimeSeriesWorkload, whose rows and reads have fields of any names; write db=any")
}

func TestSeriesPropertiesOfAnotherWorkloadCauseAWarning(t *testing.T) {
	_, warnings, err := reader().Parse(Submission{Properties: p("db", "null", "recordcount", "10", "operationcount", "10", "tagcount", "3")})
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	require.Equal(t, "-p: tagcount: has no effect: it belongs to workload=site.ycsb.workloads.TimeSeriesWorkload", warnings[0].String())
}
