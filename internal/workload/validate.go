package workload

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/benchd/benchd/internal/keyspace"
)

// PropertyError is a setting that is invalid, by itself or in combination with others.
type PropertyError struct {
	Property string // the name of the property
	Value    string
	Problem  string // the mistake
	Cure     string // the correction
}

// Error returns the property, its value, the problem and the cure.
func (e *PropertyError) Error() string {
	return fmt.Sprintf("%s=%s %s; %s", e.Property, e.Value, e.Problem, e.Cure)
}

// maxInsertBytes bounds the values of one insert, which each worker keeps in memory.
const maxInsertBytes = 1 << 28

// Validate checks the whole configuration, for a load as well as for a run. It returns a joined *PropertyError for each
// mistake.
func (c *Config) Validate() error { return errors.Join(c.validate(true), c.validate(false)) }

// validate checks the settings that a phase needs.
func (c *Config) validate(load bool) error {
	v := validator{c: c}
	if c.Series != nil {
		v.series(load)
		return errors.Join(v.wrong...)
	}
	v.rows(load)
	v.keys()
	v.fields()
	if !load {
		v.mix()
		v.requests()
		v.scans()
	}
	return errors.Join(v.wrong...)
}

type validator struct {
	c     *Config
	wrong []error
}

func (v *validator) fail(property string, value any, problem, cure string) {
	v.wrong = append(v.wrong, &PropertyError{Property: property, Value: fmt.Sprint(value), Problem: problem, Cure: cure})
}

// least checks a number that has a lower bound.
func least[N int | int64](v *validator, property string, value, bound N) bool {
	if value < bound {
		v.fail(property, value, "is too small", fmt.Sprintf("write %d or more", bound))
	}
	return value >= bound
}

func (v *validator) rows(load bool) {
	c := v.c
	good := least(v, "recordcount", c.RecordCount, 0)
	good = least(v, "insertstart", c.InsertStart, 0) && good
	good = least(v, "insertcount", c.InsertCount, 0) && good
	good = least(v, "insertbase", c.InsertBase, 0) && good
	good = least(v, "operationcount", c.OperationCount, 0) && good
	if !good {
		return
	}
	if load {
		least(v, "core_workload_insertion_retry_limit", c.InsertionRetryLimit, 0)
		if c.InsertionRetryInterval < 0 {
			v.fail("core_workload_insertion_retry_interval", c.InsertionRetryInterval, "is too short", "write 0 or more")
		}
		if c.LoadCount() == 0 {
			v.fail("recordcount", 0, "leaves nothing to load", "write the number of rows")
		}
		if c.LoadCount() > math.MaxInt64-c.InsertStart {
			v.fail("insertstart", c.InsertStart, "is too large for this number of rows", "write a smaller one")
		}
		return
	}
	if asked := c.InsertStart + max(c.InsertCount, 1); c.Asks() && (asked > c.RecordCount || asked < 0) {
		v.fail("recordcount", c.RecordCount, fmt.Sprintf("is less than needed for the requested rows %d to %d", c.InsertStart, asked-1),
			fmt.Sprintf("write recordcount=%d or more, or lower insertstart and insertcount", asked))
	}
}

// Asks reports whether a run requests existing rows.
func (c *Config) Asks() bool {
	for _, s := range c.Proportions.Shares() {
		if s.Kind != Insert && s.Value > 0 {
			return true
		}
	}
	return false
}

func (v *validator) fields() {
	c := v.c
	least(v, "fieldcount", c.FieldCount, 1)
	least(v, "batchsize", c.BatchSize, 0)
	least(v, "zeropadding", c.ZeroPadding, 0)
	if r := c.ValueRatio; r != 0 && !(r >= keyspace.MinRatio && r <= 1) {
		v.fail("value.ratio", r, "is out of range", fmt.Sprintf("write a ratio from %v to 1: below it snappy and zstd do not agree, because snappy needs three bytes for each 64 that repeat", keyspace.MinRatio))
	}
	longest := int64(c.FieldLength)
	v.drawn("fieldlengthdistribution", c.FieldLengthDistribution, Constant, Drawing.DrawsFields)
	switch c.FieldLengthDistribution {
	case Constant, "":
		least(v, "fieldlength", c.FieldLength, 1)
	case Uniform, Zipfian:
		if least(v, "minfieldlength", c.MinFieldLength, 0) && c.MinFieldLength > c.FieldLength {
			v.fail("minfieldlength", c.MinFieldLength, fmt.Sprintf("is more than fieldlength=%d", c.FieldLength), "lower it, or raise fieldlength")
		}
	case Histogram:
		if longest = v.histogram(); longest < 0 {
			return
		}
	case Sample:
		if c.ValueSizes == nil || len(c.ValueSizes.Lengths) == 0 {
			v.fail("value.sizes", "", "is missing", "name a file with sizes, or write another fieldlengthdistribution")
			return
		}
		longest = c.ValueSizes.Longest()
	default: // draws no lengths
	}
	if size := float64(longest) * float64(c.FieldCount) * float64(max(c.BatchSize, 1)); size > maxInsertBytes {
		v.fail("fieldlength", longest, fmt.Sprintf("makes one insert %.3g bytes long with fieldcount=%d and batchsize=%d, more than the maximum of %d",
			size, c.FieldCount, c.BatchSize, maxInsertBytes), "lower one of the three")
	}
	if size := float64(longest) * float64(c.FieldCount) * float64(c.MultiRowSize); c.Proportions.MultiRow > 0 && size > maxInsertBytes {
		v.fail("multirow.size", c.MultiRowSize, fmt.Sprintf("makes one mutation up to %.3g bytes long with values of %d bytes and fieldcount=%d, more than the maximum of %d",
			size, longest, c.FieldCount, maxInsertBytes), "lower one of the three")
	}
	if c.DataIntegrity {
		v.integrity()
	}
}

// keys checks the template of the keys, and that it has a key for each row.
func (v *validator) keys() {
	c := v.c
	if c.KeyTemplate == "" {
		return
	}
	t, err := keyspace.ParseTemplate(c.KeyTemplate)
	if err != nil {
		v.fail("key.template", strconv.Quote(c.KeyTemplate), "is invalid: "+err.Error(), "correct it")
		return
	}
	if below := c.rowsBelow(); below > t.Limit() || below < 0 {
		v.fail("key.template", strconv.Quote(c.KeyTemplate), fmt.Sprintf("has times for %d rows, and this workload may have up to %d", t.Limit(), below),
			"write a smaller step, a larger per, or an earlier start of ts, or set operationcount, which bounds the inserts")
	}
	if c.DataIntegrity && !t.IsASCII() {
		v.fail("key.template", strconv.Quote(c.KeyTemplate), "conflicts with dataintegrity=true, which hashes values as ASCII text", "write it with ASCII letters")
	}
}

// histogram checks the histogram and returns its maximum length, or -1.
func (v *validator) histogram() int64 {
	h := v.c.FieldLengthHistogram
	if h == nil {
		v.fail("fieldlengthhistogram", "", "is missing", "name a histogram file, or write another fieldlengthdistribution")
		return -1
	}
	var sum int64
	for i, n := range h.Buckets {
		if n < 0 || n > math.MaxInt64-sum {
			v.fail("fieldlengthhistogram", n, fmt.Sprintf("is not a valid count of bucket %d", i), "write 0 or more")
			return -1
		}
		sum += n
	}
	if h.BlockSize < 1 || sum == 0 {
		v.fail("fieldlengthhistogram", fmt.Sprintf("(BlockSize %d, %d fields)", h.BlockSize, sum), "contains no lengths",
			"give it a BlockSize of at least 1 and a bucket with a count above 0")
		return -1
	}
	return h.Longest()
}

func (v *validator) integrity() {
	c := v.c
	if c.FieldLengthDistribution != Constant && c.FieldLengthDistribution != "" {
		v.fail("fieldlengthdistribution", c.FieldLengthDistribution, "conflicts with dataintegrity=true, which needs values of a fixed length",
			"write fieldlengthdistribution=constant")
	}
	if c.ValueRatio != 0 {
		v.fail("value.ratio", c.ValueRatio, "conflicts with dataintegrity=true, whose values follow from key and field", "remove one of them")
	}
	for property, text := range map[string]string{"keyprefix": c.KeyPrefix, "fieldnameprefix": c.FieldNamePrefix} {
		for _, b := range []byte(text) {
			if b > 127 {
				v.fail(property, strconv.Quote(text), "conflicts with dataintegrity=true, which hashes values as ASCII text", "write it with ASCII letters")
				break
			}
		}
	}
	if c.Proportions.Append > 0 {
		v.fail("appendproportion", c.Proportions.Append, "conflicts with dataintegrity=true: appended values cannot be verified", "remove one of them")
	}
}

func (v *validator) mix() {
	var sum float64
	good := true
	for _, s := range v.c.Proportions.Shares() {
		if !(s.Value >= 0) || math.IsInf(s.Value, 0) { // NaN compares with nothing
			v.fail(s.Property, s.Value, "is out of range", "write 0 or more")
			good = false
		}
		sum += s.Value
	}
	if good && (sum <= 0 || math.IsInf(sum, 0)) {
		v.fail("readproportion", v.c.Proportions.Read, "and all other proportions leave nothing to do", "write a proportion above 0")
	}
	if v.c.Proportions.MultiGet > 0 {
		least(v, "multiget.size", v.c.MultiGetSize, 1)
	}
	if v.c.Proportions.MultiRow > 0 {
		v.multiRow()
	}
}

// multiRow checks the settings of MultiRows, whose rows differ from each other.
func (v *validator) multiRow() {
	c := v.c
	good := least(v, "multirow.size", c.MultiRowSize, 2)
	if count := c.RequestCount(); good && count > 0 && int64(c.MultiRowSize) > count {
		v.fail("multirow.size", c.MultiRowSize, fmt.Sprintf("is more than the %d rows that are requested", count), "lower it, or raise recordcount")
	}
	if c.RequestDistribution == Sequential {
		v.fail("requestdistribution", c.RequestDistribution, "conflicts with multirowproportion: rows that follow in the order of their numbers are in different regions",
			"write uniform or zipfian")
	}
}

func (v *validator) requests() {
	c := v.c
	v.drawn("requestdistribution", c.RequestDistribution, Uniform, Drawing.DrawsRequests)
	if c.RequestDistribution == Histogram && len(c.RequestHistogram) == 0 {
		v.fail("requesthistogram", "", "is missing", "name a histogram file, or write another requestdistribution")
	}
	switch c.RequestDistribution {
	case Hotspot:
		v.fraction("hotspotdatafraction", c.HotspotDataFraction)
		v.fraction("hotspotopnfraction", c.HotspotOpnFraction)
	case Exponential:
		if !(c.ExponentialPercentile > 0 && c.ExponentialPercentile < 100) {
			v.fail("exponential.percentile", c.ExponentialPercentile, "is out of range", "write a number above 0 and below 100, such as 95")
		}
		if !(c.ExponentialFrac > 0 && c.ExponentialFrac <= 1) {
			v.fail("exponential.frac", c.ExponentialFrac, "is out of range", "write a number above 0 and up to 1")
		}
	default: // has no settings
	}
	// The range of the scrambled zipfian is the existing rows and twice the expected inserts.
	if expected := float64(c.OperationCount) * c.Proportions.Insert * 2 * float64(max(c.BatchSize, 1)); expected > 1<<61 {
		v.fail("operationcount", c.OperationCount, "lets the run insert more rows than there are key numbers", "write a smaller one")
	}
}

func (v *validator) fraction(property string, value float64) {
	if !(value >= 0 && value <= 1) {
		v.fail(property, value, "is out of range", "write a number from 0 to 1")
	}
}

func (v *validator) scans() {
	c := v.c
	if c.Proportions.Scan <= 0 {
		return
	}
	if least(v, "minscanlength", c.MinScanLength, 1) && c.MinScanLength > c.MaxScanLength {
		v.fail("minscanlength", c.MinScanLength, fmt.Sprintf("is more than maxscanlength=%d", c.MaxScanLength), "lower it, or raise maxscanlength")
	}
	v.drawn("scanlengthdistribution", c.ScanLengthDistribution, Uniform, Drawing.DrawsScans)
}
