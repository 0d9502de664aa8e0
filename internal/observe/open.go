package observe

import (
	"context"
	"log/slog"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/setup"
)

// Targets are the sources of a run's target and of the endpoints that its settings name.
func Targets(settings plan.Settings, properties map[string]string, log *slog.Logger) ([]Watched, error) {
	var out []Watched
	every := settings.Telemetry.Interval
	if settings.DB == hbasespec.Name || settings.DB == hbasespec.SandboxName {
		where, err := hbasespec.Read(properties)
		if err != nil {
			return nil, err //nolint:wrapcheck // it lists what is wrong
		}
		out = append(out, Watched{Every: every, Source: NewHBase(func(ctx context.Context) (Cluster, error) {
			client, err := setup.Connect(ctx, where, log)
			if err != nil {
				return nil, err //nolint:wrapcheck // it says all
			}
			return client, nil
		}, log)})
	}
	for _, e := range settings.Telemetry.Endpoints {
		out = append(out, Watched{Every: every, Source: NewPrometheus(e, settings.Telemetry.Metrics)})
	}
	return out, nil
}
