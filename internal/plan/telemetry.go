package plan

import (
	"time"

	"github.com/benchd/benchd/internal/secret"
)

// Telemetry configures how the target and the hosts are watched during a run.
type Telemetry struct {
	On        bool
	Interval  time.Duration // between two looks
	Endpoints []Endpoint    // of Prometheus
	Metrics   []string      // metrics of endpoints to record besides the built-in ones; a * at the end matches anything
	Login     Login         // of all endpoints
}

// Login is how an agent authenticates to endpoints: by a bearer token, by HTTP's basic authentication, or not at all.
type Login struct {
	Bearer   secret.Ref
	User     string
	Password secret.Ref
}

// Endpoint is an address of metrics, and its name in results.
type Endpoint struct{ Name, URL string }
