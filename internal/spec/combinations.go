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

// validateCombinations validates combinations of settings. It skips a rule if one of its properties is invalid by itself: one
// mistake gives one message.
func (r *resolver) validateCombinations(s plan.Settings) {
	r.validateWorkload(s)
	r.warnOfRows(s)
	r.warnOfMix(s)
	r.warnOfEnd(s)
	r.findInert(s)
	r.validateUserData(s)
	r.validateWarmup(s)
	r.validateSearch(s)
	r.validateTelemetry(s.Telemetry)
	r.validateActions(s)
	if r.sound("table") && r.value("table") == "" {
		r.fail(r.setting("table"), "is empty; write the name of the table, or remove the property for usertable")
	}
	r.validateSeries(s)
	if check := r.target().Check; check != nil {
		check(caseView{r})
	}
}

// validateWorkload reports the mistakes that the workload and the pacing find in themselves.
func (r *resolver) validateWorkload(s plan.Settings) {
	c := s.Workload
	if !s.Run { // a load requests no rows, whatever a run with the same file does
		c.Proportions, c.RequestDistribution = workload.Proportions{Insert: 1}, workload.Uniform
	}
	if c.InsertCount > 0 && c.Proportions.Sum() > 0 {
		c.Proportions.Read = 1 // the range must fit, as in YCSB, even if nothing is requested from it
	}
	var wrong []workload.PropertyError
	for e := range walk[*workload.PropertyError](c.Validate()) {
		wrong = append(wrong, *e)
	}
	for e := range walk[*pacing.PropertyError](s.Pacing.Validate()) {
		wrong = append(wrong, workload.PropertyError(*e))
	}
	for i, e := range wrong {
		if !slices.Contains(wrong[:i], e) && !r.follows(e) {
			r.fail(r.setting(e.Property), "%s %s; %s", e.Value, e.Problem, e.Cure)
		}
	}
}

// follows reports whether a finding may be caused by an invalid property, whose default was validated instead.
func (r *resolver) follows(e workload.PropertyError) bool {
	for property := range r.bad {
		if property == e.Property || strings.Contains(e.Problem, property) || strings.HasPrefix(property, e.Property+".") {
			return true
		}
	}
	return false
}

// walk iterates over the errors of type E that are joined in err.
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

// sound reports whether none of the properties has an invalid value.
func (r *resolver) sound(names ...string) bool {
	for _, name := range names {
		if r.bad[name] {
			return false
		}
	}
	return true
}

// blame returns the first of the properties that is set, for a message about their combination.
func (r *resolver) blame(names ...string) entry {
	for _, name := range names {
		if e, ok := r.given[name]; ok {
			return e
		}
	}
	return entry{written: r.prefix + names[0]}
}

func (r *resolver) warnOfRows(s plan.Settings) {
	if !r.sound("recordcount", "insertstart", "insertcount", "phase") {
		return
	}
	c := s.Workload
	if e, ok := r.given["insertcount"]; ok && c.InsertCount == 0 {
		r.warn(e, "is 0, which means not set")
	}
	if s.Load && c.InsertCount == 0 && 0 < c.InsertStart && c.InsertStart < c.RecordCount {
		r.warn(r.setting("insertstart"), "without insertcount, %d rows are loaded from there on, as in YCSB, up to row %d; set insertcount=%d to end at recordcount",
			c.RecordCount, c.InsertStart+c.RecordCount-1, c.RecordCount-c.InsertStart)
	}
}

func (r *resolver) warnOfMix(s plan.Settings) {
	if !s.Run {
		return
	}
	c := s.Workload
	var names []string
	for _, share := range c.Proportions.Shares() {
		names = append(names, share.Property)
	}
	if sum := c.Proportions.Sum(); r.sound(names...) && sum > 0 && math.Abs(sum-1) > 1e-6 {
		r.warn(r.blame(names...), "the proportions add up to %.6g, and each is divided by that sum (the defaults are readproportion=0.95 and updateproportion=0.05)", sum)
	}
	if r.sound("operationcount") && c.RequestDistribution == workload.Zipfian && c.Proportions.Insert > 0 && c.OperationCount == 0 {
		r.warn(r.blame("requestdistribution", "operationcount"), "the zipfian range grows with operationcount to include inserts, but operationcount is not set: rows that this run inserts are not requested")
	}
}

func (r *resolver) warnOfEnd(s plan.Settings) {
	if !r.sound("operationcount", "duration", "phase", "warmup") {
		return
	}
	if s.Run && plan.Endless(plan.Phases(s)) {
		r.warn(r.setting("operationcount"), "is 0 and duration is not set: only a cancel or a limit ends the run; set operationcount, or duration, such as duration=1m")
	}
}
