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
	Sample      Distribution = "sample"
)

// Drawing is a distribution with its uses: requests, field lengths and scan lengths.
type Drawing struct {
	Name    Distribution
	Meaning string

	scans    bool                                               // whether it draws scan lengths
	lengths  func(shortest, longest int64, cfg *Config) lengths // nil if it draws no field lengths
	requests func(r *requests, cfg *Config, last int64)         // nil if it draws no rows
}

// Distributions returns all distributions.
func Distributions() []Drawing {
	return []Drawing{
		{
			Name: Constant, Meaning: "always `fieldlength`",
			lengths: func(_, longest int64, _ *Config) lengths {
				return lengths{keyspace.Constant(longest), longest}
			},
		},
		{
			Name: Uniform, Meaning: "all values equally often", scans: true,
			lengths: func(shortest, longest int64, _ *Config) lengths {
				return lengths{keyspace.NewUniform(shortest, longest), longest}
			},
			requests: func(r *requests, _ *Config, last int64) { r.fixed = keyspace.NewUniform(r.first, last) },
		},
		{
			Name: Zipfian, Meaning: "a few values most of the time; requests use YCSB's scrambled zipfian, which scatters popular rows over the table; lengths are mostly short", scans: true,
			lengths: func(shortest, longest int64, _ *Config) lengths {
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
			Name: Sequential, Meaning: "one row after the other, in rounds",
			requests: func(*requests, *Config, int64) {}, // each chooser has its own position
		},
		{
			Name: Histogram, Meaning: "as in the file `fieldlengthhistogram`, and for requests `requesthistogram`",
			requests: func(r *requests, cfg *Config, last int64) {
				r.fixed = keyspace.NewPopular(cfg.RequestHistogram, r.first, last)
			},
			lengths: func(_, _ int64, cfg *Config) lengths {
				h := cfg.FieldLengthHistogram
				return lengths{h.Distribution(), h.Longest()}
			},
		},
		{
			Name: Sample, Meaning: "as in the file `value.sizes`, a sample of sizes",
			lengths: func(_, _ int64, cfg *Config) lengths {
				return lengths{cfg.ValueSizes.Distribution(), cfg.ValueSizes.Longest()}
			},
		},
	}
}

// DrawsRequests reports whether the distribution can select the rows of requests.
func (d Drawing) DrawsRequests() bool { return d.requests != nil }

// DrawsFields reports whether the distribution can draw field lengths.
func (d Drawing) DrawsFields() bool { return d.lengths != nil }

// DrawsScans reports whether the distribution can draw scan lengths.
func (d Drawing) DrawsScans() bool { return d.scans }

// DistributionNames returns the names of the distributions for one use, such as Drawing.DrawsRequests.
func DistributionNames(draws func(Drawing) bool) []string {
	var names []string
	for _, d := range Distributions() {
		if draws(d) {
			names = append(names, string(d.Name))
		}
	}
	return names
}

// drawing returns the distribution with a name, or otherwise for an empty name.
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

// drawn validates that a distribution has a use.
func (v *validator) drawn(property string, name, otherwise Distribution, draws func(Drawing) bool) {
	if draws(drawing(name, otherwise)) {
		return
	}
	names := DistributionNames(draws)
	last := len(names) - 1
	v.fail(property, name, "is unknown", "write "+strings.Join(names[:last], ", ")+" or "+names[last])
}
