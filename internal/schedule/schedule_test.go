package schedule_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/benchd/benchd/internal/schedule"
)

func at(t require.TestingT, text string) time.Time {
	when, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return when
}

func cron(t require.TestingT, text, zone string) schedule.Schedule {
	s, err := schedule.Cron(text, zone)
	require.NoError(t, err)
	return s
}

// following returns the next due times after an instant, in UTC.
func following(t *testing.T, s schedule.Schedule, after string, n int) []string {
	t.Helper()
	var out []string
	for next := at(t, after); len(out) < n; {
		next = s.Next(at(t, after), next)
		out = append(out, next.UTC().Format("2006-01-02 15:04"))
	}
	return out
}

func TestDueTimesOfAnExpression(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, zone, after string
		want              []string
	}{
		{"0 2 * * *", "Asia/Shanghai", "2026-03-01T00:00:00Z", []string{"2026-03-01 18:00", "2026-03-02 18:00"}},
		{"0 2 * * *", "UTC", "2026-03-01T02:00:00Z", []string{"2026-03-02 02:00"}},
		{"*/20 8-9 * * *", "UTC", "2026-03-01T08:30:00Z", []string{"2026-03-01 08:40", "2026-03-01 09:00", "2026-03-01 09:20", "2026-03-01 09:40", "2026-03-02 08:00"}},
		{"5/30 0 * * *", "UTC", "2026-03-01T00:00:00Z", []string{"2026-03-01 00:05", "2026-03-01 00:35", "2026-03-02 00:05"}},
		{"0 0 29 feb *", "UTC", "2096-03-01T00:00:00Z", []string{"2104-02-29 00:00"}}, // 2100 has none
		{"0 0 * * 7", "UTC", "2026-11-25T00:00:00Z", []string{"2026-11-29 00:00", "2026-12-06 00:00"}},
		{"0 0 * * Mon-Fri", "UTC", "2026-11-27T12:00:00Z", []string{"2026-11-30 00:00", "2026-12-01 00:00"}},
		{"0 0 13 * fri", "UTC", "2026-11-10T00:00:00Z", []string{"2026-11-13 00:00", "2026-11-20 00:00", "2026-11-27 00:00", "2026-12-04 00:00", "2026-12-11 00:00", "2026-12-13 00:00"}},
	} {
		require.Equal(t, c.want, following(t, cron(t, c.text, c.zone), c.after, len(c.want)), "%s %s", c.text, c.zone)
	}
}

// In Berlin the clocks are set from 02:00 to 03:00 on 29 March 2026, and from 03:00 to 02:00 on 25 October.
func TestDaylightSaving(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, after string
		want        []string
	}{
		"a time that the clocks skip is later": {"30 2 * * *", "2026-03-28T00:00:00Z", []string{"2026-03-28 01:30", "2026-03-29 01:30", "2026-03-30 00:30"}},
		"a time after the gap is not":          {"0 3 * * *", "2026-03-28T12:00:00Z", []string{"2026-03-29 01:00", "2026-03-30 01:00"}},
		"two times that become one are one":    {"30 2,3 * * *", "2026-03-29T00:00:00Z", []string{"2026-03-29 01:30", "2026-03-30 00:30"}},
		"the order is that of instants":        {"30 2 * * *", "2026-03-29T01:10:00Z", []string{"2026-03-29 01:30", "2026-03-30 00:30"}},
		"a time that is shown twice is due once": {
			"30 2 * * *", "2026-10-24T12:00:00Z", []string{"2026-10-25 00:30", "2026-10-26 01:30"},
		},
		"each hour leaves out the second one": {"0 * * * *", "2026-10-24T23:30:00Z", []string{"2026-10-25 00:00", "2026-10-25 02:00"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, following(t, cron(t, c.text, "Europe/Berlin"), c.after, len(c.want)))
		})
	}
}

// A whole day was skipped in Samoa; Lord Howe sets its clocks by half an hour.
func TestUnusualTimeZones(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"2011-12-29 22:00", "2011-12-30 22:00"}[1:], following(t, cron(t, "0 12 * * *", "Pacific/Apia"), "2011-12-30T00:00:00Z", 1))
	require.Equal(t, []string{"2026-10-03 15:45"}, following(t, cron(t, "15 2 * * *", "Australia/Lord_Howe"), "2026-10-03T12:00:00Z", 1))
}

// Each due time is a whole minute that the expression names, and no such minute between two of them is left out, on a day without a change of
// the clocks.
func TestNextLeavesOutNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		minutes := rapid.SliceOfNDistinct(rapid.IntRange(0, 59), 1, 4, rapid.ID).Draw(t, "minutes")
		hours := rapid.SliceOfNDistinct(rapid.IntRange(0, 23), 1, 4, rapid.ID).Draw(t, "hours")
		s := cron(t, list(minutes)+" "+list(hours)+" * * *", "Asia/Shanghai")
		from := at(t, "2026-05-01T00:00:00+08:00").Add(time.Duration(rapid.IntRange(0, 86400*20).Draw(t, "seconds")) * time.Second)
		next := s.Next(from, from)
		want := from.Truncate(time.Minute).Add(time.Minute)
		for !slices.Contains(minutes, want.Minute()) || !slices.Contains(hours, want.Hour()) {
			want = want.Add(time.Minute)
		}
		require.True(t, want.Equal(next), "%v: want %v, got %v", s, want, next)
	})
}

func list(numbers []int) string {
	var parts []string
	for _, n := range numbers {
		parts = append(parts, string(rune('0'+n/10))+string(rune('0'+n%10)))
	}
	return strings.Join(parts, ",")
}

func TestMistakesOfAnExpression(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"0 2 * *":        {`want five fields`},
		"@daily":         {`want five fields`},
		"60 24 0 13 8":   {`invalid minute "60"`, `invalid hour "24"`, `invalid day of the month "0"`, `invalid month "13"`, `invalid day of the week "8"`},
		"*/0 -1 5-2 * *": {`invalid minute "*/0"`, `invalid hour "-1"`, `invalid day of the month "5-2"`},
		"0 0 31 2 *":     {"it is never due"},
		"0, 0 * * *":     {`invalid minute "0,"`},
		"0 0 * * monday": {`invalid day of the week "monday"`, "sun to sat"},
	} {
		_, err := schedule.Cron(text, "UTC")
		require.Error(t, err, text)
		for _, part := range want {
			require.ErrorContains(t, err, part, text)
		}
	}
	_, err := schedule.Cron("99 * * * *", "Asia/Shangai")
	require.ErrorContains(t, err, `invalid minute "99"`)
	require.ErrorContains(t, err, `unknown time zone "Asia/Shangai"`)
	for _, zone := range []string{"", "Local"} {
		_, err := schedule.Zone(zone)
		require.ErrorContains(t, err, "unknown time zone")
	}
	_, err = schedule.Every(10 * time.Millisecond)
	require.ErrorContains(t, err, "want 1s to 8784h")
}

func TestAScheduleIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	daily, err := schedule.Every(24 * time.Hour)
	require.NoError(t, err)
	for want, s := range map[string]schedule.Schedule{
		"every 24h": daily, "0 2 * * 1-5 Asia/Shanghai": cron(t, "0  2 * * 1-5", "Asia/Shanghai"),
	} {
		require.Equal(t, want, s.String())
		again, err := schedule.Parse(want)
		require.NoError(t, err)
		require.Equal(t, s, again)
	}
	for _, bad := range []string{"", "every", "every day", "0 2 * * *", "UTC"} {
		_, err := schedule.Parse(bad)
		require.Error(t, err, bad)
	}
}

func TestShortestTimeBetweenTwoDueTimes(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]schedule.Schedule{
		"23h":  cron(t, "0 2 * * *", "Europe/Berlin"), // the day on which the clocks are set forward
		"24h":  cron(t, "0 2 * * *", "Asia/Shanghai"),
		"1m":   cron(t, "* * * * *", "UTC"),
		"2h":   cron(t, "0 1,3 1 1,7 *", "UTC"),
		"168h": cron(t, "0 0 * * 3", "UTC"),
	} {
		require.Equal(t, want, schedule.Period(s.Shortest()), s)
	}
}

func TestOnlyTheNewestDueTimeCounts(t *testing.T) {
	t.Parallel()
	nightly := cron(t, "0 2 * * *", "UTC")
	hourly, err := schedule.Every(time.Hour)
	require.NoError(t, err)
	anchor := at(t, "2026-03-01T00:30:00Z")
	for name, c := range map[string]struct {
		s              schedule.Schedule
		next, now      string
		due, following string // empty for none
		missed         int
	}{
		"not yet due":                    {nightly, "2026-03-02T02:00:00Z", "2026-03-02T01:59:59Z", "", "2026-03-02T02:00:00Z", 0},
		"due":                            {nightly, "2026-03-02T02:00:00Z", "2026-03-02T02:00:00Z", "2026-03-02T02:00:00Z", "2026-03-03T02:00:00Z", 0},
		"late":                           {nightly, "2026-03-02T02:00:00Z", "2026-03-02T23:00:00Z", "2026-03-02T02:00:00Z", "2026-03-03T02:00:00Z", 0},
		"three were missed":              {nightly, "2026-03-02T02:00:00Z", "2026-03-05T03:00:00Z", "2026-03-05T02:00:00Z", "2026-03-06T02:00:00Z", 3},
		"a period":                       {hourly, "2026-03-02T00:30:00Z", "2026-03-02T03:29:59Z", "2026-03-02T02:30:00Z", "2026-03-02T03:30:00Z", 2},
		"the clock is set back a little": {nightly, "2026-03-03T02:00:00Z", "2026-03-02T01:00:00Z", "", "2026-03-03T02:00:00Z", 0},
		"and by a week":                  {nightly, "2026-03-12T02:00:00Z", "2026-03-05T01:00:00Z", "", "2026-03-05T02:00:00Z", 0},
		"a period set back":              {hourly, "2027-03-02T00:30:00Z", "2026-02-02T03:00:00Z", "", "2026-02-02T03:30:00Z", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.s.Due(anchor, at(t, c.next), at(t, c.now))
			if c.due == "" {
				require.Zero(t, got.Due)
			} else {
				require.True(t, at(t, c.due).Equal(got.Due), got.Due)
			}
			require.True(t, at(t, c.following).Equal(got.Next), got.Next)
			require.Equal(t, c.missed, got.Missed)
		})
	}
}

func FuzzCron(f *testing.F) {
	for _, text := range []string{"0 2 * * *", "*/5 1-3,7 1,15 jan-mar mon", "60 * * * *", "0 0 30 2 *", "1/2/3 * * * *"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := schedule.Cron(text, "Europe/Berlin")
		if err != nil {
			return
		}
		again, err := schedule.Parse(s.String())
		require.NoError(t, err)
		require.Equal(t, s, again)
		from := time.Date(2026, 3, 28, 0, 0, 0, 0, time.UTC)
		require.True(t, s.Next(from, from).After(from))
	})
}
