package suite

import (
	"strings"
	"time"

	"github.com/benchd/benchd/internal/schedule"
)

func scheduleKeys() []string { return []string{"every", "cron", "timezone"} }

// Scheduled is when a suite recurs, with its place.
type Scheduled struct {
	schedule.Schedule
	At Place
}

// schedule reads when the suite recurs: after a period, or at the times of a cron expression.
func (r *reader) schedule(n *node) Scheduled {
	if n == nil || n.kind != mapping {
		if n != nil && n.kind != null {
			r.mistake(n.at, "schedule", `want a map, got %s; write {every: 24h}, or {cron: "0 2 * * *", timezone: Asia/Shanghai}`, n.kind)
		}
		return Scheduled{}
	}
	r.known(n, scheduleKeys())
	every, cron, zone := n.get("every"), n.get("cron"), n.get("timezone")
	switch {
	case every != nil && cron != nil:
		r.mistake(cron.at, "cron", "cannot be combined with every; remove one of them")
		return Scheduled{}
	case every == nil && cron == nil:
		r.mistake(n.at, "schedule", `has no due times; add every: 24h, or cron: "0 2 * * *"`)
		return Scheduled{}
	case every != nil && zone != nil:
		r.mistake(zone.at, "timezone", "has no effect on a period; use it with cron, or remove it")
	}
	if every != nil {
		return r.every(every)
	}
	return r.cron(cron, zone)
}

func (r *reader) every(n *node) Scheduled {
	period, err := time.ParseDuration(r.text("every", n))
	if n.kind != scalar {
		return Scheduled{}
	}
	if err != nil {
		r.mistake(n.at, "every", "invalid duration %q: want a number with a unit, such as 24h or 30m", shorten(n.text))
		return Scheduled{}
	}
	s, err := schedule.Every(period)
	if err != nil {
		r.mistake(n.at, "every", "%v", err)
	}
	return Scheduled{s, n.at}
}

func (r *reader) cron(n, zone *node) Scheduled {
	name := "UTC"
	if zone != nil {
		name = r.text("timezone", zone)
		if _, err := schedule.Zone(name); err != nil && zone.kind == scalar {
			r.mistake(zone.at, "timezone", "%v", err)
			name = ""
		}
	}
	text := r.text("cron", n)
	if n.kind != scalar {
		return Scheduled{}
	}
	if _, err := schedule.Cron(text, "UTC"); err != nil {
		for one := range strings.SplitSeq(err.Error(), "\n") {
			r.mistake(n.at, "cron", "%s", one)
		}
		return Scheduled{}
	}
	s, err := schedule.Cron(text, name)
	if err != nil {
		return Scheduled{} // the zone has been reported
	}
	return Scheduled{s, n.at}
}
