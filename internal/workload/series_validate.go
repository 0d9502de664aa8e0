package workload

import (
	"fmt"
	"math"
)

// maxSeries bounds the series, whose keys and tags each agent keeps in memory. maxOffsets bounds random timestamps, as in YCSB.
const (
	maxSeries  = 1 << 31
	maxOffsets = 1 << 24
	maxTags    = 100
)

// series checks the settings of time series.
func (v *validator) series(load bool) {
	c, s := v.c, v.c.Series
	least(v, "fieldcount", c.FieldCount, 1)
	least(v, "fieldlength", c.FieldLength, 1)
	least(v, "tagkeylength", s.TagKeyLength, 1)
	least(v, "tagvaluelength", s.TagValueLength, 1)
	least(v, "timestampinterval", s.Interval, 1)
	if len(s.Tags) < 1 || len(s.Tags) > maxTags {
		v.fail("tagcount", len(s.Tags), "is out of range", fmt.Sprintf("write 1 to %d", maxTags))
	}
	count, most := float64(c.FieldCount), 1
	for _, n := range s.Tags {
		least(v, "tagcardinality", n, 1)
		count *= float64(n)
		most = max(most, n)
	}
	if len(v.wrong) > 0 {
		return
	}
	v.names("fieldcount", c.FieldCount, "fieldlength", c.FieldLength)
	v.names("tagcount", len(s.Tags), "tagkeylength", s.TagKeyLength)
	v.names("tagcardinality", most, "tagvaluelength", s.TagValueLength)
	switch {
	case count > maxSeries:
		v.fail("tagcardinality", most, fmt.Sprintf("makes %.3g time series with fieldcount=%d", count, c.FieldCount), fmt.Sprintf("lower them: at most %d are possible", int64(maxSeries)))
	case float64(c.RecordCount) < count:
		v.fail("recordcount", c.RecordCount, fmt.Sprintf("is less than the number of time series, %.0f", count), "raise it, or lower fieldcount or tagcardinality")
	case s.RandomTimestamps && float64(c.RecordCount)/count >= maxOffsets:
		v.fail("randomwritetimestamporder", true, fmt.Sprintf("needs at most %d timestamps, and recordcount=%d makes %.3g", maxOffsets, c.RecordCount, float64(c.RecordCount)/count), "lower recordcount, or write false")
	}
	v.seriesValues()
	if !load {
		v.mix()
		v.seriesMix()
		v.requests()
		v.scans()
	}
}

// names checks that there are as many different names of a length as are needed.
func (v *validator) names(property string, n int, lengthProperty string, length int) {
	if float64(n) > seriesRange(length) {
		v.fail(property, n, fmt.Sprintf("is more than there are names of %d letters", length), "lower it, or raise "+lengthProperty)
	}
}

func (v *validator) seriesValues() {
	c, s := v.c, v.c.Series
	if !(s.Sparsity >= 0 && s.Sparsity < 1) {
		v.fail("sparsity", s.Sparsity, "is out of range", "write a number from 0 to below 1")
	}
	v.fraction("delayedseries", s.DelayedSeries)
	if s.DelayedSeries > 0 {
		least(v, "delayedintervals", s.DelayedIntervals, 1)
	}
	if s.GroupFunction != "" && len(s.GroupBy) != len(s.Tags) {
		v.fail("groupbykeys", len(s.GroupBy), "is not the number of tags, which groupbyfunction needs", fmt.Sprintf("write %d values of 0 or 1, such as 0,1", len(s.Tags)))
	}
	if s.DownsampleFunction != "" {
		least(v, "downsamplinginterval", s.DownsampleInterval, 1)
	}
	if s.TimestampKey == s.ValueKey {
		v.fail("valuekey", s.ValueKey, "is also timestampkey", "write another name")
	}
	if c.DataIntegrity {
		v.fail("dataintegrity", true, "is not possible with TimeSeriesWorkload: YCSB's bindings of databases do not return what it compares", "remove it")
	}
	if c.BatchSize > 1 {
		v.fail("batchsize", c.BatchSize, "is not possible with TimeSeriesWorkload", "remove it")
	}
	if c.RecordCount > math.MaxInt32 {
		v.fail("recordcount", c.RecordCount, "is more than TimeSeriesWorkload can have", fmt.Sprintf("write at most %d", math.MaxInt32))
	}
}

// seriesMix refuses the kinds of operations that TimeSeriesWorkload lacks.
func (v *validator) seriesMix() {
	for _, one := range v.c.Proportions.Shares() {
		switch one.Kind {
		case Read, Update, Insert, Scan, Delete:
		default:
			if one.Value > 0 {
				v.fail(one.Property, one.Value, "is not possible with TimeSeriesWorkload, which has READ, UPDATE, INSERT, SCAN and DELETE", "remove it")
			}
		}
	}
	switch v.c.RequestDistribution {
	case Latest, Exponential:
		v.fail("requestdistribution", v.c.RequestDistribution, "is not possible with TimeSeriesWorkload, as in YCSB", "write uniform, zipfian, hotspot or sequential")
	default:
	}
}
