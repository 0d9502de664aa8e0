package spec

import (
	"errors"
	"fmt"
	"net"
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

// The properties of authentication at endpoints.
const (
	telemetryBearer   = "telemetry.bearer"
	telemetryUser     = "telemetry.user"
	telemetryPassword = "telemetry.password"
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
		{Name: telemetryBearer, Kind: property.Secret, Doc: "bearer token for the endpoints, by reference: file:NAME, env:BENCHD_SECRET_NAME or credential:NAME of the agents"},
		{Name: telemetryUser, Kind: property.Text, Check: checkUser, Doc: "user name for HTTP basic authentication at the endpoints; needs telemetry.password"},
		{Name: telemetryPassword, Kind: property.Secret, Doc: "password of telemetry.user, by reference: file:NAME, env:BENCHD_SECRET_NAME or credential:NAME of the agents"},
	}
}

// telemetry returns the telemetry settings of the run.
func (v values) telemetry() plan.Telemetry {
	t := plan.Telemetry{Interval: v.Duration("telemetry.interval")}
	t.Endpoints, _ = parseEndpoints(v.Text("telemetry.endpoints"))
	t.Metrics = v.List("telemetry.metrics")
	t.Login = plan.Login{Bearer: v.Secret(telemetryBearer), User: v.Text(telemetryUser), Password: v.Secret(telemetryPassword)}
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
	if strings.Contains(value, "@") { // the message does not repeat what may be a password, however it is misspelled
		return nil, errors.New("an address contains a user name or a password before an @; remove them, set " + telemetryUser + ", and set " + telemetryPassword + " to a reference such as file:NAME; an @ in a path is %40")
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
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
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

// checkUser validates the user name of basic authentication.
func checkUser(value string) (string, error) {
	if err := property.Printable(value); err != nil {
		return "", err
	}
	if strings.Contains(value, ":") {
		return "", errors.New("a user name of HTTP basic authentication has no colon; set the password by " + telemetryPassword + ", as a reference")
	}
	return value, nil
}

// validateTelemetry warns about settings without an effect, and validates those of authentication.
func (r *resolver) validateTelemetry(t plan.Telemetry) {
	of := []string{"telemetry.metrics", telemetryBearer, telemetryUser, telemetryPassword}
	for _, name := range append([]string{"telemetry.interval", "telemetry.endpoints"}, of...) {
		if e, ok := r.given[name]; ok && !t.On && !e.idle() {
			r.warn(e, "has no effect without telemetry=true")
		}
	}
	for _, name := range of {
		if e, ok := r.given[name]; ok && t.On && r.value("telemetry.endpoints") == "" && !e.idle() {
			r.warn(e, "has no effect without telemetry.endpoints=name=url")
		}
	}
	r.validateLogin(t)
}

// validateLogin validates the combination of the settings of authentication.
func (r *resolver) validateLogin(t plan.Telemetry) {
	l := t.Login
	switch {
	case r.bad[telemetryBearer] || r.bad[telemetryUser] || r.bad[telemetryPassword]:
	case l.Bearer != "" && (l.User != "" || l.Password != ""):
		r.fail(r.setting(telemetryBearer), "cannot be combined with %s and %s: set the token, or the user and the password", telemetryUser, telemetryPassword)
	case l.User != "" && l.Password == "":
		r.fail(r.setting(telemetryUser), "needs a password: set %s to a reference such as file:NAME", telemetryPassword)
	case l.Password != "" && l.User == "":
		r.fail(r.setting(telemetryPassword), "needs a user name: set %s", telemetryUser)
	case t.On && l.Bearer != "":
		r.warnOfPlaintext(t, telemetryBearer)
	case t.On && l.Password != "":
		r.warnOfPlaintext(t, telemetryPassword)
	}
}

// warnOfPlaintext warns about endpoints to which a secret is sent unencrypted over a network.
func (r *resolver) warnOfPlaintext(t plan.Telemetry, name string) {
	var names []string
	for _, e := range t.Endpoints {
		u, err := url.Parse(e.URL)
		if err != nil || u.Scheme == "https" {
			continue
		}
		if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && !ip.IsLoopback() {
			names = append(names, e.Name)
		}
	}
	if len(names) > 0 {
		r.warn(r.setting(name), "is sent unencrypted to %s; use https://", strings.Join(names, ", "))
	}
}
