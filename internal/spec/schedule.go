package spec

import (
	"fmt"
	"math"
	"time"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/spec/suite"
)

// validateSchedule reports a schedule that is due again before its suite can have ended, and a tag that the schedule sets.
func (r *suiteResolver) validateSchedule(read *suite.Suite, out *plan.Suite) {
	s := read.Schedule
	if s.IsZero() {
		return
	}
	report := func(key, text string) {
		r.report(&r.problems, finding{s.At.Order(), property.Problem{Place: s.At.String(), Key: key, Text: text}})
	}
	if _, set := out.Tags[plan.ScheduleTag]; set {
		report("tags", fmt.Sprintf("the tag %s is set by the schedule, to its name; remove it from the tags", plan.ScheduleTag))
	}
	if r.submission.Trial {
		return // a trial runs once
	}
	o := plan.Outlined(*out, 0)
	length := time.Duration(math.Ceil(o.Seconds)) * time.Second
	if between := s.Shortest(); length > between {
		runs := "1 run"
		if o.Runs != 1 {
			runs = fmt.Sprintf("%d runs", o.Runs)
		}
		report("schedule", fmt.Sprintf("%s is due again after %s, but the suite takes about %s (%s); make its runs shorter, or the time between them longer",
			s, schedule.Period(between), schedule.Period(length), runs))
	}
	out.Schedule = s.Schedule
}
