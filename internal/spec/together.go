package spec

import (
	"math"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// maxInsert bounds the bytes of one insert, which each worker keeps in memory.
const maxInsert = 1 << 28

// judgeTogether judges what must fit together. A rule is left out when one of its properties is wrong by
// itself: one mistake gets one message.
func (j *judge) judgeTogether(s plan.Settings) {
	j.judgeRows(s)
	j.judgeMix(s)
	j.judgeFields(s.Workload)
	j.judgeEnd(s)
	if j.sound("table") && j.value("table") == "" {
		j.fail(j.said("table"), "is empty; write the table's name, or leave it out for usertable")
	}
	if j.sound("db", "columnfamily") && s.DB == HBase && j.value("columnfamily") == "" {
		j.fail(j.said("columnfamily"), "not given, and target hbase needs it; write columnfamily=family or whatever the table has")
	}
}

// sound reports whether none of the properties has a value that is wrong.
func (j *judge) sound(names ...string) bool {
	for _, name := range names {
		if j.bad[name] {
			return false
		}
	}
	return true
}

// blame returns the first of the properties that was set, for a message about how they fit together.
func (j *judge) blame(names ...string) entry {
	for _, name := range names {
		if e, ok := j.given[name]; ok {
			return e
		}
	}
	return entry{written: names[0]}
}

func (j *judge) judgeRows(s plan.Settings) {
	if !j.sound("recordcount", "insertstart", "insertcount", "phase") {
		return
	}
	c := s.Workload
	if e, ok := j.given["insertcount"]; ok && c.InsertCount == 0 {
		j.warn(e, "is 0: taken as not given")
	}
	if s.Load && c.LoadCount() == 0 {
		j.fail(j.said("recordcount"), "a load needs to know how many rows to write; give recordcount, or insertcount for a part of them")
		return
	}
	if c.InsertStart+max(c.InsertCount, 1) > c.RecordCount && (c.InsertCount > 0 || s.Run) {
		j.fail(j.blame("insertcount", "insertstart"), "rows %d to %d do not fit below recordcount=%d; give at least recordcount=%d",
			c.InsertStart, c.InsertStart+max(c.InsertCount, 1)-1, c.RecordCount, c.InsertStart+max(c.InsertCount, 1))
		return
	}
	if s.Load && c.InsertCount == 0 && c.InsertStart > 0 {
		j.warn(j.said("insertstart"), "without insertcount, %d rows are loaded from there on as YCSB does, up to row %d; give insertcount=%d to end at recordcount",
			c.RecordCount, c.InsertStart+c.RecordCount-1, c.RecordCount-c.InsertStart)
	}
}

func (j *judge) judgeMix(s plan.Settings) {
	var (
		names []string
		sum   float64
	)
	for _, p := range proportions(s.Workload.Proportions) {
		names = append(names, p.name)
		sum += p.weight
	}
	if !s.Run || !j.sound(append(names, "requestdistribution", "operationcount", "phase")...) {
		return
	}
	if sum == 0 {
		j.fail(j.blame(names...), "all proportions are 0, so there is nothing to do; give one of them a weight, such as readproportion=1")
		return
	}
	if math.Abs(sum-1) > 1e-6 {
		j.warn(j.blame(names...), "the proportions add up to %.6g, and each is divided by that (readproportion=0.95 and updateproportion=0.05 hold where they are not set)", sum)
	}
	c := s.Workload
	if c.RequestDistribution == workload.Zipfian && c.Proportions.Insert > 0 && c.OperationCount == 0 {
		j.warn(j.blame("requestdistribution", "operationcount"), "the zipfian range allows for inserts by operationcount, which is not given: rows inserted in this run are not drawn")
	}
}

// proportion is a kind of operation's property and weight.
type proportion struct {
	name   string
	weight float64
}

func proportions(p workload.Proportions) []proportion {
	return []proportion{
		{"readproportion", p.Read}, {"updateproportion", p.Update}, {"insertproportion", p.Insert},
		{"scanproportion", p.Scan}, {"readmodifywriteproportion", p.ReadModifyWrite},
		{"deleteproportion", p.Delete}, {"incrementproportion", p.Increment}, {"appendproportion", p.Append},
		{"multigetproportion", p.MultiGet}, {"checkandputproportion", p.CheckAndPut},
	}
}

func (j *judge) judgeFields(c workload.Config) {
	drawn := c.FieldLengthDistribution == workload.Uniform || c.FieldLengthDistribution == workload.Zipfian
	if drawn && j.sound("minfieldlength", "fieldlength", "fieldlengthdistribution") && c.MinFieldLength > c.FieldLength {
		j.fail(j.blame("minfieldlength", "fieldlength"), "the least length %d is above the most, fieldlength=%d", c.MinFieldLength, c.FieldLength)
	}
	if j.sound("minscanlength", "maxscanlength") && c.MinScanLength > c.MaxScanLength {
		j.fail(j.blame("minscanlength", "maxscanlength"), "the least length %d is above the most, maxscanlength=%d", c.MinScanLength, c.MaxScanLength)
	}
	if j.sound("fieldcount", "fieldlength", "batchsize") {
		if bytes := float64(c.FieldCount) * float64(c.FieldLength) * float64(c.BatchSize); bytes > maxInsert {
			j.fail(j.blame("fieldlength", "fieldcount", "batchsize"), "one insert of %d rows of %d fields of %d bytes would be %.3g bytes, and %.3g are the most; make one of them smaller",
				c.BatchSize, c.FieldCount, c.FieldLength, bytes, float64(maxInsert))
		}
	}
	if c.DataIntegrity && j.sound("fieldlengthdistribution") && c.FieldLengthDistribution != workload.Constant {
		j.fail(j.said("dataintegrity"), "needs fieldlengthdistribution=constant, not %s: a value can be checked only when its length is known", c.FieldLengthDistribution)
	}
	if c.RequestDistribution == workload.Hotspot && j.sound("hotspotdatafraction") && c.HotspotDataFraction == 0 {
		j.fail(j.said("hotspotdatafraction"), "is 0, so that no row is hot; write a share above 0, such as 0.2")
	}
	if c.RequestDistribution == workload.Exponential {
		if j.sound("exponential.percentile") && (c.ExponentialPercentile <= 0 || c.ExponentialPercentile >= 100) {
			j.fail(j.said("exponential.percentile"), "is %v; it must lie between 0 and 100, such as 95", c.ExponentialPercentile)
		}
		if j.sound("exponential.frac") && c.ExponentialFrac <= 0 {
			j.fail(j.said("exponential.frac"), "is %v; write a share above 0, such as 0.8571428571", c.ExponentialFrac)
		}
	}
}

func (j *judge) judgeEnd(s plan.Settings) {
	if !j.sound("operationcount", "duration", "phase", "warmup") {
		return
	}
	if !s.Run && s.Warmup > 0 {
		j.warn(j.said("warmup"), "has no effect in a load: a warm-up comes before measuring")
	}
	if s.Run && plan.Endless(plan.Phases(s)) {
		j.warn(j.said("operationcount"), "is 0 and there is no duration: only a cancel or a limit ends the run; give operationcount=N or duration=1m or the like")
	}
}
