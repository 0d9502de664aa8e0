package observe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"time"

	"github.com/benchd/benchd/internal/credential"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/secret"
)

// Opener makes the Source of the target that a run with these properties uses. The Source connects at its first Look.
type Opener func(properties map[string]string, with Access) (Source, error)

// Access is with what a Source connects to a target.
type Access struct {
	Dial       *outbound.Dialer
	Secrets    secret.Resolver        // what the agent's operator releases to runs; Secret reads them
	Credential *credential.Credential // what the agent's operator gives it to prove itself to targets
	Logger     *slog.Logger
}

// Secret resolves a property of the kind property.Secret. An unset property is an empty secret.
func (a Access) Secret(properties map[string]string, name string) (secret.Value, error) {
	return a.Secrets.Property(properties, name) //nolint:wrapcheck // it names the property
}

// Watch is what one agent watches for a run.
type Watch struct {
	Agent      string // its name
	Settings   plan.Settings
	Properties map[string]string
	// Target says that the agent watches the target, and the endpoints that the settings name.
	Target bool
	// Open opens the target; nil where it cannot be watched.
	Open Opener
	// HostEvery is how often the agent reads its own host; zero means never.
	HostEvery time.Duration
	// Secrets are what the agent's operator releases to runs.
	Secrets secret.Resolver
	// Credential is what the agent's operator gives it to prove itself to targets.
	Credential *credential.Credential
	// Dial connects to the target and to endpoints. The default reaches private networks and loopback.
	Dial   *outbound.Dialer
	Logger *slog.Logger
}

// Origin is an entry of the table of what can be watched.
type Origin struct {
	Name    string
	Figures string // prefix of its figures' names; empty where the target names them
	Meaning string
	sources func(Watch) ([]Watched, error)
}

// Origins lists what can be watched. A new Origin is added here, and nowhere else.
func Origins() []Origin {
	return []Origin{
		{
			Name: "target", Meaning: "the system under test and its servers, read by one agent of the run",
			sources: target,
		},
		{
			Name: "endpoint", Figures: result.NodeFigures, Meaning: "the Prometheus endpoints that `telemetry.endpoints` names, read by the same agent; " +
				"metrics other than those of a node_exporter keep their names",
			sources: endpoints,
		},
		{
			Name: "host", Figures: result.HostFigures, Meaning: "the machine of an agent, read by that agent",
			sources: machine,
		},
	}
}

// Open makes all sources of a run, the target's first. With an error it returns those that could be made.
func Open(w Watch) ([]Watched, error) {
	var all []Watched
	var failed error
	for _, origin := range Origins() {
		sources, err := origin.sources(w)
		all = append(all, sources...)
		failed = errors.Join(failed, err)
	}
	return all, failed
}

func target(w Watch) ([]Watched, error) {
	if !w.Target || w.Open == nil {
		return nil, nil
	}
	source, err := w.Open(w.Properties, Access{Dial: w.Dial, Secrets: w.Secrets, Credential: w.Credential, Logger: w.Logger})
	if err != nil {
		return nil, err
	}
	return []Watched{{Every: w.Settings.Telemetry.Interval, Source: source}}, nil
}

func endpoints(w Watch) ([]Watched, error) {
	if !w.Target {
		return nil, nil
	}
	var all []Watched
	for _, e := range w.Settings.Telemetry.Endpoints {
		source := NewPrometheus(e, w.Settings.Telemetry.Metrics, w.Dial)
		source.Authenticate(w.Settings.Telemetry.Login, w.Secrets)
		all = append(all, Watched{Every: w.Settings.Telemetry.Interval, Source: source})
	}
	return all, nil
}

// Check reports the first endpoint of telemetry that may not be reached.
func Check(ctx context.Context, endpoints []plan.Endpoint, dial *outbound.Dialer) error {
	for _, e := range endpoints {
		at, err := url.Parse(e.URL)
		if err != nil {
			return fmt.Errorf("invalid endpoint %s of %s: %w", e.Name, endpointsProperty, err)
		}
		port := at.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443"}[at.Scheme]
		}
		if err := dial.Named(endpointsProperty).Check(ctx, net.JoinHostPort(at.Hostname(), port)); err != nil {
			return err //nolint:wrapcheck // it names the address and the property
		}
	}
	return nil
}

func machine(w Watch) ([]Watched, error) {
	if w.HostEvery <= 0 {
		return nil, nil
	}
	return []Watched{{Every: w.HostEvery, Source: NewHost(w.Agent)}}, nil
}
