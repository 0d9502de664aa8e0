package workload

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/keyspace"
)

// Distribution names how numbers are drawn from a range.
type Distribution string

// The distributions of requests over rows, of field lengths and of scan lengths.
const (
	Uniform     Distribution = "uniform"
	Zipfian     Distribution = "zipfian"
	Latest      Distribution = "latest"
	Hotspot     Distribution = "hotspot"
	Exponential Distribution = "exponential"
	Sequential  Distribution = "sequential"
	Constant    Distribution = "constant"
	Histogram   Distribution = "histogram"
)

// Drawing is an entry of the table of distributions: what a distribution draws, and how.
type Drawing struct {
	Name    Distribution
	Meaning string

	scans    bool                                                      // it draws the lengths of scans
	lengths  func(shortest, longest int64, h *LengthHistogram) lengths // nil where it draws no lengths of fields
	requests func(r *requests, cfg *Config, last int64)                // nil where it draws no rows
}

// Distributions are those that there are.
func Distributions() []Drawing {
	return []Drawing{
		{
			Name: Constant, Meaning: "always `fieldlength`",
			lengths: func(_, longest int64, _ *LengthHistogram) lengths {
				return lengths{keyspace.Constant(longest), longest}
			},
		},
		{
			Name: Uniform, Meaning: "all alike", scans: true,
			lengths: func(shortest, longest int64, _ *LengthHistogram) lengths {
				return lengths{keyspace.NewUniform(shortest, longest), longest}
			},
			requests: func(r *requests, _ *Config, last int64) { r.fixed = keyspace.NewUniform(r.first, last) },
		},
		{
			Name: Zipfian, Meaning: "few of them most of the time; rows are scattered over the table, as YCSB's scrambled zipfian; lengths are mostly short", scans: true,
			lengths: func(shortest, longest int64, _ *LengthHistogram) lengths {
				return lengths{keyspace.NewZipfian(shortest, longest), longest}
			},
			requests: func(r *requests, cfg *Config, last int64) {
				r.fixed = keyspace.NewScrambled(r.first, last+1+cfg.expectedNew())
			},
		},
		{
			Name: Latest, Meaning: "the newest rows most of the time",
			requests: func(r *requests, cfg *Config, _ int64) { r.latest = keyspace.NewLatest(cfg.RecordCount - 1) },
		},
		{
			Name: Hotspot, Meaning: "`hotspotopnfraction` of the operations go to `hotspotdatafraction` of the rows, the first ones",
			requests: func(r *requests, cfg *Config, last int64) {
				r.fixed = keyspace.NewHotspot(r.first, last, cfg.HotspotDataFraction, cfg.HotspotOpnFraction)
			},
		},
		{
			Name: Exponential, Meaning: "`exponential.percentile` percent of the operations go to `exponential.frac` of the rows, the newest ones",
			requests: func(r *requests, cfg *Config, _ int64) {
				r.exponential = keyspace.NewExponential(cfg.ExponentialPercentile, cfg.ExponentialFrac, cfg.RecordCount)
			},
		},
		{
			Name: Sequential, Meaning: "one row after the other, again and again",
			requests: func(*requests, *Config, int64) {}, // every chooser has a place of its own in it
		},
		{
			Name: Histogram, Meaning: "as the file `fieldlengthhistogram` has them",
			lengths: func(_, _ int64, h *LengthHistogram) lengths { return lengths{h.Distribution(), h.Longest()} },
		},
	}
}

// DrawsRequests reports whether it draws the rows that are asked for.
func (d Drawing) DrawsRequests() bool { return d.requests != nil }

// DrawsFields reports whether it draws the lengths of fields.
func (d Drawing) DrawsFields() bool { return d.lengths != nil }

// DrawsScans reports whether it draws the lengths of scans.
func (d Drawing) DrawsScans() bool { return d.scans }

// DistributionNames are the names of those that draw something, such as Drawing.DrawsRequests.
func DistributionNames(draws func(Drawing) bool) []string {
	var names []string
	for _, d := range Distributions() {
		if draws(d) {
			names = append(names, string(d.Name))
		}
	}
	return names
}

// drawing is the entry of a distribution; without a name that of another one.
func drawing(name, otherwise Distribution) Drawing {
	if name == "" {
		name = otherwise
	}
	all := Distributions()
	if i := slices.IndexFunc(all, func(d Drawing) bool { return d.Name == name }); i >= 0 {
		return all[i]
	}
	return Drawing{}
}

// drawn validates that a distribution draws something.
func (j *judge) drawn(property string, name, otherwise Distribution, draws func(Drawing) bool) {
	if draws(drawing(name, otherwise)) {
		return
	}
	names := DistributionNames(draws)
	last := len(names) - 1
	j.fail(property, name, "is not known", "write "+strings.Join(names[:last], ", ")+" or "+names[last])
}
