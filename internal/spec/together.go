package spec

import (
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// judgeTogether judges what must fit together. A rule is left out when one of its properties is wrong by
// itself: one mistake gets one message.
func (j *judge) judgeTogether(s plan.Settings) {
	j.judgeWorkload(s)
	j.warnOfRows(s)
	j.warnOfMix(s)
	j.warnOfEnd(s)
	j.findInert(s)
	j.judgeWarmup(s)
	j.judgeTelemetry(s.Telemetry.On)
	j.judgeActions(s)
	if j.sound("table") && j.value("table") == "" {
		j.fail(j.said("table"), "is empty; write the table's name, or leave it out for usertable")
	}
	if check := j.target().Check; check != nil {
		check(caseView{j})
	}
}

// judgeWorkload passes on what the workload and the pacing say of themselves.
func (j *judge) judgeWorkload(s plan.Settings) {
	c := s.Workload
	if !s.Run { // a load asks for no rows, whatever a run of the same file would do
		c.Proportions, c.RequestDistribution = workload.Proportions{Insert: 1}, workload.Uniform
	}
	if c.InsertCount > 0 && c.Proportions.Sum() > 0 {
		c.Proportions.Read = 1 // the range must fit, as in YCSB, even where nothing asks for it
	}
	var wrong []workload.PropertyError
	for e := range walk[*workload.PropertyError](c.Validate()) {
		wrong = append(wrong, *e)
	}
	for e := range walk[*pacing.PropertyError](s.Pacing.Validate()) {
		wrong = append(wrong, workload.PropertyError(*e))
	}
	for i, e := range wrong {
		if !slices.Contains(wrong[:i], e) && !j.follows(e) {
			j.fail(j.said(e.Property), "%s %s; %s", e.Value, e.Problem, e.Cure)
		}
	}
}

// follows reports whether a finding may come from a property whose own value is wrong, so that its default was
// judged instead.
func (j *judge) follows(e workload.PropertyError) bool {
	for property := range j.bad {
		if property == e.Property || strings.Contains(e.Problem, property) || strings.HasPrefix(property, e.Property+".") {
			return true
		}
	}
	return false
}

// walk goes through the errors of type E that are joined in err.
func walk[E error](err error) iter.Seq[E] {
	return func(yield func(E) bool) {
		if e, ok := err.(E); ok { //nolint:errorlint // joined errors are walked one by one
			yield(e)
			return
		}
		if list, ok := err.(interface{ Unwrap() []error }); ok {
			for _, one := range list.Unwrap() {
				for e := range walk[E](one) {
					if !yield(e) {
						return
					}
				}
			}
		}
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

func (j *judge) warnOfRows(s plan.Settings) {
	if !j.sound("recordcount", "insertstart", "insertcount", "phase") {
		return
	}
	c := s.Workload
	if e, ok := j.given["insertcount"]; ok && c.InsertCount == 0 {
		j.warn(e, "is 0: taken as not given")
	}
	if s.Load && c.InsertCount == 0 && 0 < c.InsertStart && c.InsertStart < c.RecordCount {
		j.warn(j.said("insertstart"), "without insertcount, %d rows are loaded from there on as YCSB does, up to row %d; give insertcount=%d to end at recordcount",
			c.RecordCount, c.InsertStart+c.RecordCount-1, c.RecordCount-c.InsertStart)
	}
}

func (j *judge) warnOfMix(s plan.Settings) {
	if !s.Run {
		return
	}
	c := s.Workload
	var names []string
	for _, share := range c.Proportions.Shares() {
		names = append(names, share.Property)
	}
	if sum := c.Proportions.Sum(); j.sound(names...) && sum > 0 && math.Abs(sum-1) > 1e-6 {
		j.warn(j.blame(names...), "the proportions add up to %.6g, and each is divided by that (readproportion=0.95 and updateproportion=0.05 hold where they are not set)", sum)
	}
	if j.sound("operationcount") && c.RequestDistribution == workload.Zipfian && c.Proportions.Insert > 0 && c.OperationCount == 0 {
		j.warn(j.blame("requestdistribution", "operationcount"), "the zipfian range allows for inserts by operationcount, which is not given: rows inserted in this run are not drawn")
	}
}

func (j *judge) warnOfEnd(s plan.Settings) {
	if !j.sound("operationcount", "duration", "phase", "warmup") {
		return
	}
	if s.Run && plan.Endless(plan.Phases(s)) {
		j.warn(j.said("operationcount"), "is 0 and there is no duration: only a cancel or a limit ends the run; give operationcount=N or duration=1m or the like")
	}
}
