package watch

import (
	"fmt"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/result"
)

// events returns what has happened since the look before.
func (s *source) events(d *document, at clock.Instant) []observe.Event {
	if s.before == nil {
		return nil
	}
	var out []observe.Event
	add := func(kind, format string, args ...any) {
		out = append(out, observe.Event{At: at, Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	settings := s.connector.Settings()
	if d.Started != s.before.Started {
		add(result.HappenedServer, "PostgreSQL %s was restarted", settings.Address)
		return out // its counters may start from zero again
	}
	if n := grown(d, s.before, "bgwriter", "checkpoints_timed") + grown(d, s.before, "checkpointer", "num_timed"); n > 0 {
		add(result.HappenedFlush, "checkpoint of PostgreSQL %s, because its time has come", settings.Address)
	}
	if n := grown(d, s.before, "bgwriter", "checkpoints_req") + grown(d, s.before, "checkpointer", "num_requested"); n > 0 {
		add(result.HappenedFlush, "checkpoint of PostgreSQL %s, because of its WAL or a request", settings.Address)
	}
	now, _ := d.Benchd.number("vacuums")
	before, _ := s.before.Benchd.number("vacuums")
	done := grown(d, s.before, "user_tables", "vacuum_count") + grown(d, s.before, "user_tables", "autovacuum_count")
	if before == 0 && (now > 0 || done > 0) {
		add(result.HappenedCompaction, "vacuum of table %s", settings.Table)
	}
	return out
}

// grown returns by how much a counter has grown.
func grown(now, before *document, name, column string) float64 {
	a, had := before.view(name).number(column)
	b, has := now.view(name).number(column)
	if !had || !has {
		return 0
	}
	return max(b-a, 0)
}
