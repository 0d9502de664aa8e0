package portable

// The tables of a suite in the order of their rows. Those from Phase on are of a phase: a window's measurements, messages and lateness follow it.
const (
	Suite = iota
	Run
	Agent
	Event
	Loaded
	Figure
	Observation
	Phase
	Window
	Measurement
	Sample
	Lateness
)

// Tables returns the tables of a suite, whose indexes are the constants. They have all columns but those that are specific to an archive: numbers of rows, and references to the preceding row.
func Tables() []Table {
	return []Table{
		Suite:       {"suite", []string{"id", "name", "note", "tags", "status", "created_ns", "submitted_by", "db", "spec", "plan"}},
		Run:         {"run", []string{"id", "suite", "case_name", "repeat", "status", "reason", "started_ns", "ended_ns", "properties", "header", "state"}},
		Agent:       {"agent", []string{"run", "shard", "attempt", "name"}},
		Event:       {"event", []string{"run", "at_ns", "phase", "offset_ns", "kind", "text"}},
		Loaded:      {"loaded", []string{"run", "shard", "attempt", "seq", "rows"}},
		Figure:      {"figure", []string{"run", "number", "name", "source", "unit"}},
		Observation: {"observation", []string{"run", "from_ns", "to_ns", "points"}},
		Phase:       {"phase", []string{"run", "name", "rolled_windows", "rolled_seq"}},
		Window: {"window", []string{
			"seq", "shard", "attempt", "start_ns", "end_ns", "tail", "last", "rows", "bytes", "issued", "recorded", "cores", "host_idle", "own_cpu",
			"net_rx", "net_tx", "gc_pauses", "gc_pause_total_ns", "gc_pause_max_ns", "sched_lag_p99_ns", "sched_lag_max_ns", "late_sends", "late_max_ns",
			"backlog", "watermark", "ops", "rolled_ns", "net_use", "retries", "worker_groups",
		}},
		Measurement: {"measurement", []string{
			"op", "outcome", "part_of", "count", "response_sum_ns", "response_min_ns", "response_max_ns", "response_overflow",
			"service_sum_ns", "service_min_ns", "service_max_ns", "service_overflow", "response", "service",
		}},
		Sample:   {"error_sample", []string{"op", "outcome", "message"}},
		Lateness: {"lateness", []string{"histogram"}},
	}
}
