package plan

import "time"

// Telemetry says how the target and the hosts are watched during a run.
type Telemetry struct {
	On        bool
	Interval  time.Duration // between two looks
	Endpoints []Endpoint    // of Prometheus
	Metrics   []string      // what is taken of endpoints besides what benchd knows; a * at the end stands for anything
}

// Endpoint is where metrics can be fetched, and how results call it.
type Endpoint struct{ Name, URL string }
