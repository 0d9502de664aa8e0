package schedule

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

// expression is a parsed cron expression.
type expression struct {
	text                               string // with one space between fields
	minutes, hours, days, months, week set
	anyDay, anyWeek                    bool // the field of days, or of days of the week, is *
}

// set is a set of small numbers.
type set uint64

func (s set) has(i int) bool { return s&(1<<i) != 0 }

// numbers returns the numbers of a set in ascending order.
func (s set) numbers() []int {
	var out []int
	for i := range 60 {
		if s.has(i) {
			out = append(out, i)
		}
	}
	return out
}

// field is one of the five fields of an expression.
type field struct {
	name     string
	from, to int
	names    []string // of its numbers, from the first on
}

func fields() [5]field {
	return [5]field{
		{name: "minute", to: 59},
		{name: "hour", to: 23},
		{name: "day of the month", from: 1, to: 31},
		{name: "month", from: 1, to: 12, names: []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
		{name: "day of the week", to: 7, names: []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
	}
}

// parseExpression reads the five fields of a cron expression. The error joins all mistakes.
func parseExpression(text string) (expression, error) {
	const most = 200
	words := strings.Fields(text)
	if len(words) != 5 || len(text) > most {
		return expression{}, fmt.Errorf(`invalid cron expression %q: want five fields, minute hour day-of-month month day-of-week, such as "0 2 * * *"`, text[:min(len(text), most)])
	}
	var sets [5]set
	var wrong []error
	for i, f := range fields() {
		var err error
		if sets[i], err = f.parse(words[i]); err != nil {
			wrong = append(wrong, err)
		}
	}
	if len(wrong) > 0 {
		return expression{}, errors.Join(wrong...)
	}
	e := expression{
		text: strings.Join(words, " "), minutes: sets[0], hours: sets[1], days: sets[2], months: sets[3], week: sets[4],
		anyDay: words[2] == "*", anyWeek: words[4] == "*",
	}
	if e.week.has(7) {
		e.week |= 1 // 0 and 7 are Sunday
	}
	return e, nil
}

// parse reads a field: *, numbers, ranges and steps, separated by commas.
func (f field) parse(text string) (all set, err error) {
	for part := range strings.SplitSeq(text, ",") {
		one, ok := f.part(part)
		if !ok {
			also := ""
			if f.names != nil {
				also = fmt.Sprintf(", %s to %s", f.names[0], f.names[len(f.names)-1])
			}
			return 0, fmt.Errorf("invalid %s %q of a cron expression: want *, numbers from %d to %d%s, ranges (%d-%d), steps (*/2) or a list of them with commas",
				f.name, text, f.from, f.to, also, f.from, f.from+4)
		}
		all |= one
	}
	return all, nil
}

func (f field) part(text string) (one set, ok bool) {
	text, after, stepped := strings.Cut(text, "/")
	step := 1
	if stepped {
		var err error
		if step, err = strconv.Atoi(after); err != nil || step < 1 || step > f.to {
			return 0, false
		}
	}
	from, to := f.from, f.to
	if text != "*" {
		first, last, ranged := strings.Cut(text, "-")
		if from, ok = f.number(first); !ok {
			return 0, false
		}
		switch {
		case ranged:
			if to, ok = f.number(last); !ok || to < from {
				return 0, false
			}
		case !stepped: // 5/10 is 5-59/10
			to = from
		}
	}
	for i := from; i <= to; i += step {
		one |= 1 << i
	}
	return one, true
}

// number reads a number of the field, or its name.
func (f field) number(text string) (int, bool) {
	if i := slices.Index(f.names, strings.ToLower(text)); i >= 0 {
		return f.from + i, true
	}
	i, err := strconv.Atoi(text)
	return i, err == nil && f.from <= i && i <= f.to && text[0] != '+' && text[0] != '-'
}

// on reports whether a day has due times. With days of the month and of the week either is enough, as in every cron.
func (e expression) on(day time.Time) bool {
	if !e.months.has(int(day.Month())) {
		return false
	}
	ofMonth, ofWeek := e.days.has(day.Day()), e.week.has(int(day.Weekday()))
	if e.anyDay || e.anyWeek {
		return ofMonth && ofWeek
	}
	return ofMonth || ofWeek
}

// horizon bounds the search for a due time: 29 February may be eight years away.
const horizon = 9 * 366

// after returns the due times after an instant, in their order.
func (s Schedule) after(instant time.Time) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		hours, minutes := s.hours.numbers(), s.minutes.numbers()
		y, m, d := instant.In(s.zone).Date()
		day := time.Date(y, m, d-2, 0, 0, 0, 0, time.UTC) // a due time that the clock skips may be on a later day
		last := instant
		for quiet := 0; quiet < horizon; quiet++ {
			if s.on(day) {
				for _, t := range s.of(day, hours, minutes) {
					if !t.After(last) {
						continue
					}
					if !yield(t) {
						return
					}
					last, quiet = t, 0
				}
			}
			day = day.AddDate(0, 0, 1)
		}
	}
}

// of returns the due times of a day in their order.
func (s Schedule) of(day time.Time, hours, minutes []int) []time.Time {
	out := make([]time.Time, 0, len(hours)*len(minutes))
	for _, h := range hours {
		for _, m := range minutes {
			out = append(out, s.instant(day.Add(time.Duration(h)*time.Hour+time.Duration(m)*time.Minute)))
		}
	}
	slices.SortFunc(out, time.Time.Compare)
	return out
}

// instant returns the instant at which the clocks of the time zone show what civil has in UTC. Where they show it twice, because they are
// set back, it is the first; where they never do, it is as much later as they are set forward: 03:30 for 02:30.
func (s Schedule) instant(civil time.Time) time.Time {
	before, after := s.offset(civil.AddDate(0, 0, -1)), s.offset(civil.AddDate(0, 0, 1))
	early := civil.Add(-before)
	if before == after || s.offset(early) == before || s.offset(civil.Add(-after)) != after {
		return early.In(s.zone)
	}
	return civil.Add(-after).In(s.zone)
}

// offset returns how far the clocks of the time zone are ahead of UTC.
func (s Schedule) offset(at time.Time) time.Duration {
	_, seconds := at.In(s.zone).Zone()
	return time.Duration(seconds) * time.Second
}
