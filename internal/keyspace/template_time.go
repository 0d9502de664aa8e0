package keyspace

import (
	"cmp"
	"math"
	"time"
)

// The default of ts: a row for each second of 2024 and later.
const (
	tsStart = "2024-01-01"
	tsStep  = time.Second
)

// timeFormat is a form in which ts is written.
type timeFormat struct {
	name             string
	unit, resolution time.Duration
	write            writer
	width            int
}

// timeFormats returns the formats, the default first. Integers have as many digits as from 2001 on: times before are padded,
// and those after 2286 have one more digit, except in ns.
func timeFormats() []timeFormat {
	return []timeFormat{
		{"ms", time.Millisecond, time.Millisecond, instant, 13},
		{"s", time.Second, time.Second, instant, 10},
		{"us", time.Microsecond, time.Microsecond, instant, 16},
		{"ns", time.Nanosecond, time.Nanosecond, instant, longDigits},
		{"day", time.Second, 24 * time.Hour, day, len("20240131")},
		{"second", time.Second, time.Second, second, len("20240131T235959Z")},
	}
}

func tsOptions() []string {
	options := []string{"start", "step", "per", "reverse"}
	for _, f := range timeFormats() {
		options = append(options, f.name)
	}
	return options
}

// ts reads the options of a time.
func (p *templateParser) ts(one *part, list []call) {
	given := p.flags(list, "ts", tsOptions())
	f := p.timeFormat(given)
	start, _ := time.Parse(time.DateOnly, tsStart)
	if c := given["start"]; c != nil {
		start = p.instant(*c)
	}
	step := tsStep
	if c := given["step"]; c != nil {
		step = p.duration(*c)
	}
	one.per = 1
	if c := given["per"]; c != nil {
		one.per = uint64(p.number(*c, maxCount))
	}
	if step%f.resolution != 0 {
		at := cmp.Or(given["step"], given[f.name]) // the default of both is good
		p.fail(at.at, "step %v is not a multiple of %v, the resolution of %s: rows would share a time; write a longer step, or a finer format", step, f.resolution, f.name)
	}
	one.start, one.step = inUnit(start, f.unit), int64(step/f.unit)
	one.write, one.width, one.open = f.write, f.width, f.write == instant && f.width < longDigits
	one.seconds = f.write != instant
	if c := given["reverse"]; c != nil {
		p.noArguments(*c)
		if one.seconds {
			p.fail(c.at, "%s has no reverse; write {ts:reverse,s} or {ts:reverse}", f.name)
		}
		one.write, one.width, one.open = fromNewest, longDigits, false
	}
}

// timeFormat returns the format among the options, or the default.
func (p *templateParser) timeFormat(given map[string]*call) timeFormat {
	formats := timeFormats()
	found := formats[0]
	var before *call
	for _, f := range formats {
		c := given[f.name]
		if c == nil {
			continue
		}
		p.noArguments(*c)
		if before != nil {
			p.fail(max(c.at, before.at), "%s and %s exclude each other; remove one of them", before.word, c.word)
			continue
		}
		found, before = f, c
	}
	return found
}

func inUnit(t time.Time, unit time.Duration) int64 {
	if unit == time.Nanosecond {
		return t.UnixNano()
	}
	return t.Unix()*int64(time.Second/unit) + int64(t.Nanosecond())/int64(unit)
}

// instant reads the argument of start.
func (p *templateParser) instant(c call) time.Time {
	text := ""
	if len(c.args) == 1 {
		text = c.args[0].text
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		t, err := time.Parse(layout, text)
		if err == nil && t.Year() >= 1970 && t.Year() < 2262 { // the range of nanoseconds
			return t
		}
	}
	p.fail(c.at, "invalid start %q: want a date from 1970 to 2261, such as start(2024-01-31) or start(2024-01-31T12:00:00Z)", text)
	return time.Unix(0, 0)
}

// duration reads the argument of step.
func (p *templateParser) duration(c call) time.Duration {
	text := ""
	if len(c.args) == 1 {
		text = c.args[0].text
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		p.fail(c.at, "invalid step %q: want a duration above 0, such as step(10s)", text)
		return tsStep
	}
	return d
}

// limit returns Template.Limit.
func (p *templateParser) limit() int64 {
	limit := int64(math.MaxInt64)
	for _, one := range p.parts {
		if one.per == 0 {
			continue
		}
		last := int64(farthest)
		if one.seconds {
			last = lastSecond()
		}
		instants := (last-one.start)/one.step + 1
		if instants <= (farthest-int64(one.per))/int64(one.per) {
			limit = min(limit, instants*int64(one.per))
		}
	}
	return limit
}

// time returns the time of a key number. Numbers below Limit do not overflow.
func (p *part) time(n uint64) int64 {
	if p.per > 1 {
		n /= p.per
	}
	return p.start + int64(n)*p.step
}

// appendCalendar appends the date, and with the format second the time of day, of a Unix time.
func (p *part) appendCalendar(dst []byte, unix int64) []byte {
	const daySeconds = 86400
	days, rest := unix/daySeconds, unix%daySeconds
	if rest < 0 {
		days, rest = days-1, rest+daySeconds
	}
	year, month, date := civil(days)
	dst = appendFixed(dst, uint64(year*10_000+month*100+date), len("20240131"))
	if p.write == day {
		return dst
	}
	dst = append(dst, 'T')
	dst = appendFixed(dst, uint64(rest/3600*10_000+rest/60%60*100+rest%60), len("235959"))
	return append(dst, 'Z')
}

// civil returns the date of a day since 1970, by shifting years to begin in March (Hinnant, chrono-compatible low-level date
// algorithms). It takes a fifth of the time of time.Time.
func civil(days int64) (year, month, date int64) {
	const era = 146_097 // days of 400 years
	days += 719_468     // from March of the year 0
	ofEra := days % era
	yearOfEra := (ofEra - ofEra/1460 + ofEra/36_524 - ofEra/(era-1)) / 365
	ofYear := ofEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	shifted := (5*ofYear + 2) / 153
	date = ofYear - (153*shifted+2)/5 + 1
	month = shifted + 3
	year = yearOfEra + days/era*400
	if month > 12 {
		month, year = month-12, year+1
	}
	return year, month, date
}

// lastSecond is the end of the year 9999, the last with four digits.
func lastSecond() int64 { return time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC).Unix() }
