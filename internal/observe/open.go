package observe

import (
	"log/slog"

	"github.com/benchd/benchd/internal/plan"
)

// Opener makes the Source of the target that a run with these properties uses. The Source connects when it is looked at.
type Opener func(properties map[string]string, log *slog.Logger) (Source, error)

// Targets are the sources of a run's target and of the endpoints that its settings name. Open is nil for a target that cannot
// be watched.
func Targets(settings plan.Settings, open Opener, properties map[string]string, log *slog.Logger) ([]Watched, error) {
	var out []Watched
	every := settings.Telemetry.Interval
	if open != nil {
		source, err := open(properties, log)
		if err != nil {
			return nil, err
		}
		out = append(out, Watched{Every: every, Source: source})
	}
	for _, e := range settings.Telemetry.Endpoints {
		out = append(out, Watched{Every: every, Source: NewPrometheus(e, settings.Telemetry.Metrics)})
	}
	return out, nil
}
