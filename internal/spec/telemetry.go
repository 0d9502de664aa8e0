package spec

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
)

// Bounds on additional telemetry.
const (
	mostEndpoints = 32
	mostMetrics   = 64
)

// telemetryKeys are the properties of telemetry.
func telemetryKeys(targets descriptor.List) []property.Key {
	byDefault := "if telemetry.endpoints is set"
	if watched := targets.Watched(); len(watched) > 0 {
		byDefault = "for " + strings.Join(watched, " and ") + ", and " + byDefault
	}
	return []property.Key{
		{Name: "telemetry", Kind: property.Bool, Doc: "watch the target and the agents' hosts during the run; if not set, true " + byDefault},
		{Name: "telemetry.interval", Kind: property.Duration, Default: "1s", Min: 0.2, Max: 60, Doc: "time between two samples, 200ms to 1m"},
		{Name: "telemetry.endpoints", Kind: property.List, Check: checkEndpoints, Doc: "additional Prometheus endpoints to watch, as name=url, separated by commas; from a node_exporter: CPU, memory, disks and network"},
		{Name: "telemetry.metrics", Kind: property.List, Check: checkMetrics, Doc: "additional metrics to read from the endpoints, separated by commas; a * at the end of a name matches anything"},
	}
}

// telemetry returns the telemetry settings of the run.
func (v values) telemetry() plan.Telemetry {
	t := plan.Telemetry{Interval: v.Duration("telemetry.interval")}
	t.Endpoints, _ = parseEndpoints(v.Text("telemetry.endpoints"))
	t.Metrics = v.List("telemetry.metrics")
	switch v.Text("telemetry") {
	case "true":
		t.On = true
	case "":
		t.On = v.target().Watched || len(t.Endpoints) > 0
	}
	return t
}

func checkEndpoints(value string) (string, error) {
	endpoints, err := parseEndpoints(value)
	if err != nil {
		return "", err
	}
	var out []string
	for _, e := range endpoints {
		out = append(out, e.Name+"="+e.URL)
	}
	return strings.Join(out, ","), nil
}

func parseEndpoints(value string) ([]plan.Endpoint, error) {
	if strings.TrimSpace(value) == "" {
		return nil, nil
	}
	nameForm := regexp.MustCompile(`^[\w.:-]{1,64}$`)
	seen := make(map[string]bool)
	var out []plan.Endpoint
	for part := range strings.SplitSeq(value, ",") {
		name, at, ok := strings.Cut(strings.TrimSpace(part), "=")
		name, at = strings.TrimSpace(name), strings.TrimSpace(at)
		if !ok || !nameForm.MatchString(name) {
			return nil, fmt.Errorf("invalid endpoint %s: want name=http://host:port/metrics, separated by commas", property.Quote(part))
		}
		u, err := url.Parse(at)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
			return nil, fmt.Errorf("invalid endpoint address %s: want http://host:port/metrics", property.Quote(at))
		}
		if u.Path == "" {
			u.Path = "/metrics"
		}
		if seen[name] {
			return nil, fmt.Errorf("duplicate endpoint name %s; give each endpoint its own name", property.Quote(name))
		}
		seen[name] = true
		out = append(out, plan.Endpoint{Name: name, URL: u.String()})
	}
	if len(out) > mostEndpoints {
		return nil, fmt.Errorf("has %d endpoints; the maximum is %d", len(out), mostEndpoints)
	}
	return out, nil
}

func checkMetrics(value string) (string, error) {
	if strings.TrimSpace(value) == "" {
		return "", nil
	}
	form := regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]{0,126}\*?$`)
	var out []string
	for name := range strings.SplitSeq(value, ",") {
		if name = strings.TrimSpace(name); !form.MatchString(name) {
			return "", fmt.Errorf("invalid metric name %s: want one such as up or jvm_gc_*", property.Quote(name))
		}
		out = append(out, name)
	}
	if len(out) > mostMetrics {
		return "", errors.New("has more than 64 metrics; remove some")
	}
	return strings.Join(out, ","), nil
}

// validateTelemetry warns about settings without an effect.
func (r *resolver) validateTelemetry(on bool) {
	for _, name := range []string{"telemetry.interval", "telemetry.endpoints", "telemetry.metrics"} {
		if e, ok := r.given[name]; ok && !on && !e.idle() {
			r.warn(e, "has no effect without telemetry=true")
		}
	}
	if e, ok := r.given["telemetry.metrics"]; ok && on && r.value("telemetry.endpoints") == "" && !e.idle() {
		r.warn(e, "has no effect without telemetry.endpoints=name=url")
	}
}
