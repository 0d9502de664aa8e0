// Package schedule computes when a recurring suite is due.
//
//  1. Every and Cron make a Schedule: a period, or the five fields of a cron expression in a time zone. Parse reads the text that
//     String writes.
//  2. Next returns the first due time after an instant, and Shortest the shortest time between two.
//  3. Due decides about the due times up to now: the newest one is due once, however many were missed.
//
// It is pure: the caller reads the clock and keeps the position.
package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // machines without a time zone database, such as containers
)

// The bounds of a period.
const (
	Shortest = time.Second
	Longest  = 366 * 24 * time.Hour
)

// Schedule is when a suite is due. The zero Schedule is never due.
type Schedule struct {
	every time.Duration // 0 with an expression
	expression
	zone *time.Location
}

// IsZero reports whether it is the zero Schedule.
func (s Schedule) IsZero() bool { return s.every == 0 && s.zone == nil }

// Every returns a schedule with the same time between all due times.
func Every(period time.Duration) (Schedule, error) {
	if period < Shortest || period > Longest {
		return Schedule{}, fmt.Errorf("invalid period %s: want %s to %s", Period(period), Period(Shortest), Period(Longest))
	}
	return Schedule{every: period}, nil
}

// Cron returns a schedule at the times of a cron expression, such as "0 2 * * *", on the clocks of a time zone. The error joins all
// mistakes.
func Cron(text, zone string) (Schedule, error) {
	e, err := parseExpression(text)
	location, wrong := Zone(zone)
	if err := errors.Join(err, wrong); err != nil {
		return Schedule{}, err
	}
	s := Schedule{expression: e, zone: location}
	for range s.after(reference) {
		return s, nil
	}
	return Schedule{}, fmt.Errorf("invalid cron expression %q: it is never due, because no month that it names has such a day", text)
}

// Zone returns a time zone by its name in the IANA database.
func Zone(name string) (*time.Location, error) {
	location, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil, fmt.Errorf("unknown time zone %q: want a name of the IANA database, such as UTC, Asia/Shanghai or Europe/Berlin", name)
	}
	return location, nil
}

// Parse reads what String has written.
func Parse(text string) (Schedule, error) {
	if period, is := strings.CutPrefix(text, "every "); is {
		d, err := time.ParseDuration(period)
		if err != nil {
			return Schedule{}, fmt.Errorf("read schedule %q: %w", text, err)
		}
		return Every(d)
	}
	i := strings.LastIndexByte(text, ' ')
	return Cron(text[:max(i, 0)], text[i+1:])
}

// String returns the schedule as people and Parse read it: "every 24h", or "0 2 * * * Asia/Shanghai".
func (s Schedule) String() string {
	if s.zone == nil {
		return "every " + Period(s.every)
	}
	return s.text + " " + s.zone.String()
}

// Period formats a duration without units that are zero: 24h instead of 24h0m0s.
func Period(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Next returns the first due time after an instant. Those of a period are counted from the anchor, in both directions.
func (s Schedule) Next(anchor, instant time.Time) time.Time {
	if s.zone == nil {
		within := instant.Sub(anchor) % s.every
		if within < 0 { // the remainder has the sign of the dividend
			within += s.every
		}
		return instant.Add(s.every - within)
	}
	for t := range s.after(instant) {
		return t
	}
	return time.Time{}
}

// reference is an instant from which properties of all expressions are computed, so that they do not depend on the date.
var reference = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant: Go has no constant times

// Shortest returns the shortest time between two due times.
func (s Schedule) Shortest() time.Duration {
	if s.zone == nil {
		return s.every
	}
	const enough = 2000 // due times; all of them for at most five a day, in a year and more
	var shortest time.Duration
	var before time.Time
	seen := 0
	for t := range s.after(reference) {
		if d := t.Sub(before); seen > 0 && (shortest == 0 || d < shortest) {
			shortest = d
		}
		before = t
		if seen++; seen == enough {
			break
		}
	}
	return shortest
}

// Decision is what becomes of the due times up to an instant.
type Decision struct {
	Due    time.Time // the newest of them; zero for none
	Missed int       // the number of those before it
	Next   time.Time // the first one that is not decided
}

// Due decides about the due times from next, the first one that is not decided, up to now. The wall clock may have been set since:
//
//   - Forward, or the caller was away: only the newest due time counts, so that missed ones never pile up.
//   - Back: a due time that was decided is not due again. If the clock was set back by more than two due times, the schedule follows it.
func (s Schedule) Due(anchor, next, now time.Time) Decision {
	if now.Before(next) {
		if first := s.Next(anchor, now); next.After(s.Next(anchor, first)) {
			next = first
		}
		return Decision{Next: next}
	}
	d := Decision{Due: next}
	if s.zone == nil {
		d.Missed = int(now.Sub(next) / s.every)
		d.Due = next.Add(time.Duration(d.Missed) * s.every)
		d.Next = d.Due.Add(s.every)
		return d
	}
	for d.Next = range s.after(next) {
		if d.Next.After(now) {
			break
		}
		d.Due = d.Next
		d.Missed++
	}
	return d
}
