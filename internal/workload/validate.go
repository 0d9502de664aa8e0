package workload

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// PropertyError is a setting that cannot be, by itself or with the others.
type PropertyError struct {
	Property string // by the name that users know
	Value    string
	Problem  string // why not
	Cure     string // what to write instead
}

// Error names the property, its value, what is wrong with it and the cure.
func (e *PropertyError) Error() string {
	return fmt.Sprintf("%s=%s %s; %s", e.Property, e.Value, e.Problem, e.Cure)
}

// maxInsertBytes bounds the values of one insert, which each worker keeps in memory.
const maxInsertBytes = 1 << 28

// Validate checks all of the configuration, for a load as well as for a run. What is wrong is a *PropertyError each,
// joined.
func (c *Config) Validate() error { return errors.Join(c.validate(true), c.validate(false)) }

// validate checks what one of the phases needs.
func (c *Config) validate(load bool) error {
	j := judge{c: c}
	j.rows(load)
	j.fields()
	if !load {
		j.mix()
		j.requests()
		j.scans()
	}
	return errors.Join(j.wrong...)
}

type judge struct {
	c     *Config
	wrong []error
}

func (j *judge) fail(property string, value any, problem, cure string) {
	j.wrong = append(j.wrong, &PropertyError{Property: property, Value: fmt.Sprint(value), Problem: problem, Cure: cure})
}

// least checks a number that has a lower bound.
func least[N int | int64](j *judge, property string, value, bound N) bool {
	if value < bound {
		j.fail(property, value, "is too small", fmt.Sprintf("write %d or more", bound))
	}
	return value >= bound
}

func (j *judge) rows(load bool) {
	c := j.c
	good := least(j, "recordcount", c.RecordCount, 0)
	good = least(j, "insertstart", c.InsertStart, 0) && good
	good = least(j, "insertcount", c.InsertCount, 0) && good
	good = least(j, "insertbase", c.InsertBase, 0) && good
	good = least(j, "operationcount", c.OperationCount, 0) && good
	if !good {
		return
	}
	if load {
		least(j, "core_workload_insertion_retry_limit", c.InsertionRetryLimit, 0)
		if c.InsertionRetryInterval < 0 {
			j.fail("core_workload_insertion_retry_interval", c.InsertionRetryInterval, "is too short", "write 0 or more")
		}
		if c.LoadCount() == 0 {
			j.fail("recordcount", 0, "leaves nothing to load", "write the number of rows")
		}
		if c.LoadCount() > math.MaxInt64-c.InsertStart {
			j.fail("insertstart", c.InsertStart, "is too far for so many rows", "write a smaller one")
		}
		return
	}
	if asked := c.InsertStart + max(c.InsertCount, 1); c.Asks() && (asked > c.RecordCount || asked < 0) {
		j.fail("recordcount", c.RecordCount, fmt.Sprintf("ends before the rows %d to %d that are asked for", c.InsertStart, asked-1),
			fmt.Sprintf("write recordcount=%d or more, or lower insertstart and insertcount", asked))
	}
}

// Asks reports whether a run asks for rows that are there already.
func (c *Config) Asks() bool {
	for _, s := range c.Proportions.Shares() {
		if s.Kind != Insert && s.Value > 0 {
			return true
		}
	}
	return false
}

func (j *judge) fields() {
	c := j.c
	least(j, "fieldcount", c.FieldCount, 1)
	least(j, "batchsize", c.BatchSize, 0)
	least(j, "zeropadding", c.ZeroPadding, 0)
	longest := int64(c.FieldLength)
	j.drawn("fieldlengthdistribution", c.FieldLengthDistribution, Constant, Drawing.DrawsFields)
	switch c.FieldLengthDistribution {
	case Constant, "":
		least(j, "fieldlength", c.FieldLength, 1)
	case Uniform, Zipfian:
		if least(j, "minfieldlength", c.MinFieldLength, 0) && c.MinFieldLength > c.FieldLength {
			j.fail("minfieldlength", c.MinFieldLength, fmt.Sprintf("is more than fieldlength=%d", c.FieldLength), "lower it, or raise fieldlength")
		}
	case Histogram:
		if longest = j.histogram(); longest < 0 {
			return
		}
	default: // draws no lengths
	}
	if size := float64(longest) * float64(c.FieldCount) * float64(max(c.BatchSize, 1)); size > maxInsertBytes {
		j.fail("fieldlength", longest, fmt.Sprintf("makes one insert %.3g bytes long with fieldcount=%d and batchsize=%d, and %d is the most",
			size, c.FieldCount, c.BatchSize, maxInsertBytes), "make one of the three smaller")
	}
	if c.DataIntegrity {
		j.integrity()
	}
}

// histogram checks a histogram that was made by hand, and returns the longest length in it, or -1.
func (j *judge) histogram() int64 {
	h := j.c.FieldLengthHistogram
	if h == nil {
		j.fail("fieldlengthhistogram", "", "names no file that was read", "name a histogram file, or write another fieldlengthdistribution")
		return -1
	}
	var sum int64
	for i, n := range h.Buckets {
		if n < 0 || n > math.MaxInt64-sum {
			j.fail("fieldlengthhistogram", n, fmt.Sprintf("is not a usable count of bucket %d", i), "write 0 or more")
			return -1
		}
		sum += n
	}
	if h.BlockSize < 1 || sum == 0 {
		j.fail("fieldlengthhistogram", fmt.Sprintf("(BlockSize %d, %d fields)", h.BlockSize, sum), "draws nothing",
			"give it a BlockSize from 1 on and a bucket with a count above 0")
		return -1
	}
	return h.Longest()
}

func (j *judge) integrity() {
	c := j.c
	if c.FieldLengthDistribution != Constant && c.FieldLengthDistribution != "" {
		j.fail("fieldlengthdistribution", c.FieldLengthDistribution, "does not go with dataintegrity=true, which must know how long a value is",
			"write fieldlengthdistribution=constant")
	}
	for property, text := range map[string]string{"keyprefix": c.KeyPrefix, "fieldnameprefix": c.FieldNamePrefix} {
		for _, b := range []byte(text) {
			if b > 127 {
				j.fail(property, strconv.Quote(text), "does not go with dataintegrity=true, whose values are hashed like ASCII text", "write it with ASCII letters")
				break
			}
		}
	}
	if c.Proportions.Append > 0 {
		j.fail("appendproportion", c.Proportions.Append, "does not go with dataintegrity=true: rows that were appended to would not verify", "leave one of them out")
	}
}

func (j *judge) mix() {
	var sum float64
	good := true
	for _, s := range j.c.Proportions.Shares() {
		if !(s.Value >= 0) || math.IsInf(s.Value, 0) { // NaN compares with nothing
			j.fail(s.Property, s.Value, "is no share", "write 0 or more")
			good = false
		}
		sum += s.Value
	}
	if good && (sum <= 0 || math.IsInf(sum, 0)) {
		j.fail("readproportion", j.c.Proportions.Read, "and all other proportions leave nothing to do", "write the share of some operation")
	}
	if j.c.Proportions.MultiGet > 0 {
		least(j, "multiget.size", j.c.MultiGetSize, 1)
	}
}

func (j *judge) requests() {
	c := j.c
	j.drawn("requestdistribution", c.RequestDistribution, Uniform, Drawing.DrawsRequests)
	switch c.RequestDistribution {
	case Hotspot:
		j.fraction("hotspotdatafraction", c.HotspotDataFraction)
		j.fraction("hotspotopnfraction", c.HotspotOpnFraction)
	case Exponential:
		if !(c.ExponentialPercentile > 0 && c.ExponentialPercentile < 100) {
			j.fail("exponential.percentile", c.ExponentialPercentile, "is no percentage to count back by", "write a number between 0 and 100, such as 95")
		}
		if !(c.ExponentialFrac > 0 && c.ExponentialFrac <= 1) {
			j.fail("exponential.frac", c.ExponentialFrac, "is no share of the rows", "write a number above 0, up to 1")
		}
	default: // takes no settings of its own
	}
	// The range of the scrambled zipfian is the rows that there are and twice those to come.
	if expected := float64(c.OperationCount) * c.Proportions.Insert * 2 * float64(max(c.BatchSize, 1)); expected > 1<<61 {
		j.fail("operationcount", c.OperationCount, "lets the run insert more rows than there are key numbers", "write a smaller one")
	}
}

func (j *judge) fraction(property string, value float64) {
	if !(value >= 0 && value <= 1) {
		j.fail(property, value, "is no fraction", "write a number from 0 to 1")
	}
}

func (j *judge) scans() {
	c := j.c
	if c.Proportions.Scan <= 0 {
		return
	}
	if least(j, "minscanlength", c.MinScanLength, 1) && c.MinScanLength > c.MaxScanLength {
		j.fail("minscanlength", c.MinScanLength, fmt.Sprintf("is more than maxscanlength=%d", c.MaxScanLength), "lower it, or raise maxscanlength")
	}
	j.drawn("scanlengthdistribution", c.ScanLengthDistribution, Uniform, Drawing.DrawsScans)
}
