package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/workload"
)

// seriesWorkload is YCSB's workload of time series, and seriesStart their first timestamp where insertstart is not set. YCSB begins with
// the time of its start then, so that a run does not find what a load has written.
const (
	seriesWorkload = "site.ycsb.workloads.TimeSeriesWorkload"
	seriesStart    = 1_483_228_800 // 2017-01-01, as in YCSB's description
)

// seriesKeys are the properties of TimeSeriesWorkload. They have no default among the properties, so that other workloads lack them:
// seriesDefaults has them.
func seriesKeys() []property.Key {
	const most = 1 << 31
	number := func(name, doc string) property.Key {
		return property.Key{Name: name, Kind: property.Int, Max: most, Doc: doc}
	}
	text := func(name, doc string) property.Key {
		return property.Key{Name: name, Kind: property.Text, Doc: doc}
	}
	truth := func(name, doc string) property.Key { return property.Key{Name: name, Kind: property.Bool, Doc: doc} }
	share := func(name, doc string) property.Key {
		return property.Key{Name: name, Kind: property.Float, Max: 1, Doc: doc}
	}
	const misspelt = "YCSB reads this property in small letters, and so ignores it, too"
	keys := []property.Key{
		{Name: "timestampunits", Kind: property.Enum, Values: []string{"MILLISECONDS", "SECONDS", "MINUTES", "HOURS", "DAYS"}, Check: checkUnits, Doc: "unit of timestamps and of all lengths of time below; timestamps of longer units are in seconds"},
		number("timestampinterval", "time between two data points of a series"),
		text("timestampkey", "field of the timestamp"),
		text("valuekey", "field of the value"),
		{Name: "valuetype", Kind: property.Enum, Values: []string{"integers", "floats", "mixednumbers"}, Check: checkValueType, Doc: "type of the values"},
		number("tagcount", "number of tags of each series"),
		{Name: "tagcardinality", Kind: property.Text, Check: checkNumbers, Doc: "number of values of each tag, separated by commas; 1 for missing ones"},
		number("tagkeylength", "letters of a tag's name"),
		number("tagvaluelength", "letters of a tag's value"),
		text("tagpairdelimiter", "between a tag and its value in reads, scans and deletes"),
		text("deletedelimiter", "between the key and the tags of a delete"),
		truth("randomwritetimestamporder", "write timestamps in random order"),
		truth("randomtimeseriesorder", "write series in random order: reads then often select tags that no series has"),
		share("sparsity", "share of the data points that are left out"),
		share("delayedseries", "share of the series whose timestamps are late"),
		number("delayedintervals", "how late they are at most, in intervals"),
		number("querytimespan", "length of time that a read, scan or delete selects; 0 for a single timestamp"),
		truth("queryrandomtimespan", "a random length up to querytimespan"),
		text("querytimespandelimiter", "between the first and the last timestamp of a query"),
		text("groupbykey", "field with the function by which a query groups series"),
		text("groupbyfunction", "this function, such as sum; without it no query groups"),
		{Name: "groupbykeys", Kind: property.Text, Check: checkNumbers, Doc: "1 for each tag that is grouped, 0 for others, separated by commas"},
		text("downsamplingkey", "field with the function by which a query samples down"),
		text("downsamplingfunction", "this function; without it no query samples down"),
		number("downsamplinginterval", "length of time that a query samples down to one value"),
		{Name: "delayedSeries", Kind: property.Text, Status: property.Idle, Reason: misspelt},
		{Name: "delayedIntervals", Kind: property.Text, Status: property.Idle, Reason: misspelt},
	}
	defaults := seriesDefaults()
	for i, k := range keys {
		if byDefault, ok := defaults[k.Name]; ok {
			keys[i].Doc += " (default " + byDefault + ")"
		}
	}
	return keys
}

func seriesDefaults() map[string]string {
	return map[string]string{
		"timestampunits": "SECONDS", "timestampinterval": "60", "timestampkey": "YCSBTS", "valuekey": "YCSBV", "valuetype": "floats",
		"tagcount": "4", "tagcardinality": "1,2,4,8", "tagkeylength": "8", "tagvaluelength": "8", "tagpairdelimiter": "=", "deletedelimiter": ":",
		"randomwritetimestamporder": "false", "randomtimeseriesorder": "true", "sparsity": "0", "delayedseries": "0.1", "delayedintervals": "5",
		"querytimespan": "0", "queryrandomtimespan": "false", "querytimespandelimiter": ",", "groupbykey": "YCSBGB", "downsamplingkey": "YCSBDS",
	}
}

func checkUnits(value string) (string, error) {
	units := seriesKeys()[0].Values
	upper := strings.ToUpper(strings.TrimSpace(value))
	if upper == "NANOSECONDS" || upper == "MICROSECONDS" {
		return "", fmt.Errorf("%s are not supported, as in YCSB (one of %s)", upper, strings.Join(units, ", "))
	}
	return property.OneOf(upper, units)
}

func checkValueType(value string) (string, error) {
	lower := strings.ToLower(strings.TrimSpace(value))
	return property.OneOf(lower, []string{string(workload.Integers), string(workload.Floats), string(workload.MixedNumbers)})
}

// checkNumbers accepts whole numbers that are separated by commas.
func checkNumbers(value string) (string, error) {
	var out []string
	for one := range strings.SplitSeq(value, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(one), 10, 31)
		if err != nil {
			return "", fmt.Errorf("invalid number %s: want whole numbers separated by commas, such as 1,2,4", property.Quote(strings.TrimSpace(one)))
		}
		out = append(out, strconv.FormatUint(n, 10))
	}
	return strings.Join(out, ","), nil
}

// series returns the time series of the properties; nil for another workload.
func (v values) series() *workload.Series {
	if v.Text("workload") != seriesWorkload {
		return nil
	}
	of := property.Values{}
	for name, byDefault := range seriesDefaults() {
		of[name] = cmp.Or(v.Text(name), byDefault)
	}
	s := &workload.Series{
		Start: cmp.Or(v.Int64("insertstart"), seriesStart), Interval: of.Int64("timestampinterval"), Units: workload.TimeUnit(of.Text("timestampunits")),
		TagKeyLength: of.Int("tagkeylength"), TagValueLength: of.Int("tagvaluelength"),
		RandomTimestamps: of.Bool("randomwritetimestamporder"), RandomOrder: of.Bool("randomtimeseriesorder"), Values: workload.ValueType(of.Text("valuetype")),
		Sparsity: of.Float("sparsity"), DelayedSeries: of.Float("delayedseries"), DelayedIntervals: of.Int64("delayedintervals"),
		Span: of.Int64("querytimespan"), RandomSpan: of.Bool("queryrandomtimespan"),
		TimestampKey: of.Text("timestampkey"), ValueKey: of.Text("valuekey"),
		PairDelimiter: of.Text("tagpairdelimiter"), DeleteDelimiter: of.Text("deletedelimiter"), SpanDelimiter: of.Text("querytimespandelimiter"),
		GroupKey: of.Text("groupbykey"), GroupFunction: v.Text("groupbyfunction"),
		DownsampleKey: of.Text("downsamplingkey"), DownsampleFunction: v.Text("downsamplingfunction"), DownsampleInterval: v.Int64("downsamplinginterval"),
	}
	s.Tags = slices.Repeat([]int{1}, min(of.Int("tagcount"), 1000))
	copy(s.Tags, numbers(of.Text("tagcardinality")))
	if s.GroupFunction != "" {
		for _, n := range numbers(v.Text("groupbykeys")) {
			s.GroupBy = append(s.GroupBy, n != 0)
		}
	}
	return s
}

func numbers(text string) (list []int) {
	for one := range strings.SplitSeq(text, ",") {
		if n, err := strconv.Atoi(one); err == nil {
			list = append(list, n)
		}
	}
	return list
}

// validateSeries validates what only TimeSeriesWorkload has.
func (r *resolver) validateSeries(s plan.Settings) {
	if s.Workload.Series == nil {
		for _, k := range seriesKeys() {
			if e, ok := r.given[k.Name]; ok && k.Status != property.Idle {
				r.warn(e, "has no effect: it belongs to workload=%s", seriesWorkload)
			}
		}
		return
	}
	e := r.setting("workload")
	if able := r.table.targets.WithAnyFields(); !slices.Contains(able, s.DB) {
		r.fail(e, "target %s cannot have TimeSeriesWorkload, whose rows and reads have fields of any names; write db=%s", s.DB, strings.Join(able, " or db="))
	}
	if given, ok := r.given[TraceFile]; ok && given.value != "" {
		r.fail(e, "conflicts with trace (%s): a replay repeats the operations of its file; remove one of them", given.place)
	}
	if workers := max(s.Threads, s.ThreadsTotal); workers > s.Workload.FieldCount && r.sound("threadcount", "threads.total", "fieldcount") {
		r.fail(r.setting("fieldcount"), "%d is less than the number of threads, %d, and each thread writes the series of its own keys; raise fieldcount, or lower threadcount", s.Workload.FieldCount, workers)
	}
}
