package plan

import "time"

// Telemetry configures how the target and the hosts are watched during a run.
type Telemetry struct {
	On        bool
	Interval  time.Duration // between two looks
	Endpoints []Endpoint    // of Prometheus
	Metrics   []string      // metrics of endpoints to record besides the built-in ones; a * at the end matches anything
}

// Endpoint is an address of metrics, and its name in results.
type Endpoint struct{ Name, URL string }
