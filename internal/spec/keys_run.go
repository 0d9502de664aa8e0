package spec

import (
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
)

// HandoverProperty is how long a load waits before it is handed over.
const HandoverProperty = "handover.after"

// defaultTarget is the target of submissions that name none: it stores nothing.
const defaultTarget = "null"

// runKeys are the properties of how it is done: target, phases, workers, pace, time and limits.
func runKeys(targets descriptor.List) []property.Key {
	const century = 100 * 365 * 86400
	return []property.Key{
		{Name: "db", Kind: property.Enum, Default: defaultTarget, Values: targets.Names(), Check: dbCheck(targets), Doc: "the system under test"},
		{Name: "workload", Kind: property.Enum, Default: coreWorkload, Values: []string{coreWorkload}, Check: checkWorkload, Doc: "YCSB's class of workload"},
		{Name: "table", Kind: property.Text, Default: "usertable", Doc: "the table's name"},
		{Name: "phase", Kind: property.Enum, Default: "run", Values: []string{"load", "run", "load,run"}, Check: checkPhase, Doc: "what to execute"},
		{Name: "dotransactions", Kind: property.Bool, Status: property.Alias, Of: "phase", Check: checkTransactions, Doc: "true is phase=run, false is phase=load"},

		{Name: "threadcount", Kind: property.Int, Default: "1", Min: 1, Max: 1e5, Doc: "workers of each agent"},
		{Name: "threads", Kind: property.Int, Min: 1, Max: 1e5, Status: property.Alias, Of: "threadcount", Reason: "YCSB knows no property threads and would run with one thread", Doc: "what many write for threadcount"},
		{Name: "threads.total", Kind: property.Int, Default: "0", Max: 1e7, Doc: "workers over all agents, instead of threadcount"},

		{Name: "target", Kind: property.Int, Default: "0", Max: 1e9, Doc: "YCSB's throttle: a closed loop at so many operations per second over all agents, which catches up; 0 is none"},
		{Name: "arrival", Kind: property.Enum, Default: "closed", Values: []string{"closed", "fixed", "poisson"}, Doc: "when operations are intended: as workers are free, or by the clock"},
		{Name: "rate", Kind: property.Rate, Check: checkRate, Doc: "operations per second over all agents in an open loop: 1000, or 1000 -> 50000 over 10m, or 1000 for 1m, 2000 for 1m"},

		{Name: "duration", Kind: property.Duration, Default: "0s", Max: century, Doc: "how long to measure; 0 leaves the end to operationcount"},
		{Name: "maxexecutiontime", Kind: property.Int, Max: century, Status: property.Alias, Of: "duration", Check: checkSeconds, Doc: "duration in seconds"},
		{Name: "warmup", Kind: property.Duration, Default: "0s", Max: century, Doc: "how long to run before measuring; with warmup.ops or warmup.until, at most"},
		{Name: "warmup.ops", Kind: property.Int, Default: "0", Max: 1 << 60, Doc: "measure after so many operations over all agents, which do not count for operationcount; with warmup too, whichever comes first"},
		{Name: "warmup.until", Kind: property.Enum, Values: []string{string(plan.Steady)}, Doc: "measure when throughput and service time are steady, or at the latest after warmup (default " + steadyWithin + ")"},
		{Name: "interval", Kind: property.Duration, Default: "1s", Min: 0.1, Max: 60, Doc: "length of a window, 100ms to 1m"},

		{Name: HandoverProperty, Kind: property.Duration, Min: 1, Max: 120, Doc: "how long a load under --on-agent-loss continue waits for an agent that is not connected before an agent that has ended its own part goes on with its rows, 1s to 2m (default 40s); a free agent goes on after 30s at the latest"},

		{Name: ActionsProperty, Kind: property.Text, Check: actionsOf(targets...).check, Doc: "what is done to the target while it is measured: 60s major_compact; 90s split usertable user5; 2m hook restart; on a sandbox 10s fault latency delay=5ms length=20s; 40s clear_faults; each from the begin of measuring on"},

		{Name: "limit.notfound", Kind: property.Percent, Default: "0.001", Doc: "share of NOT_FOUND above which the run ends as failed; 1 is no limit"},
		{Name: "limit.errors", Kind: property.Percent, Default: "1", Doc: "share of other failed operations, or of wrong values that dataintegrity found, above which the run ends as failed; 1 is no limit"},

		{Name: "spin.sleep", Kind: property.Bool, Status: property.Idle, Reason: "benchd's workers wait for the clock without spinning"},
		{Name: "measurement.trackjvm", Kind: property.Bool, Status: property.Idle, Reason: "there is no JVM to track; every result tells of the agents' CPU and garbage collection"},
	}
}

// reportingKeys shape YCSB's output; results hold what all of them need.
func reportingKeys() []property.Key {
	exporters := func(name string) string { return "site.ycsb.measurements.exporter." + name + "MeasurementsExporter" }
	keys := []property.Key{
		{Name: "status", Kind: property.Bool, Default: "false", Doc: "print status lines"},
		{Name: "status.interval", Kind: property.Int, Default: "10", Min: 1, Max: 86400, Doc: "seconds between status lines"},
		{Name: "label", Kind: property.Text, Doc: "what a status line begins with"},
		{Name: "exporter", Kind: property.Enum, Default: exporters("Text"), Values: []string{exporters("Text"), exporters("JSON"), exporters("JSONArray")}, Check: checkExporter, Doc: "YCSB's class of output"},
		{Name: "exportfile", Kind: property.Text, Doc: "where the output goes"},
		{Name: "measurementtype", Kind: property.Enum, Default: "hdrhistogram", Values: []string{"hdrhistogram", "histogram", "hdrhistogram+histogram", "hdrhistogram+raw", "timeseries", "raw"}, Doc: "which figures are printed"},
		{Name: "measurement.interval", Kind: property.Enum, Default: "op", Values: []string{"op", "intended", "both"}, Doc: "whether service times, response times or both are printed"},
		{Name: "measurement.histogram.verbose", Kind: property.Bool, Default: "false", Reason: "buckets are not printed; `benchctl report ID --format hlog --out DIR` writes them all", Doc: "print every bucket"},
		{Name: "measurement.raw.output_file", Kind: property.Text, Doc: "where raw points go"},
		{Name: "measurement.raw.no_summary", Kind: property.Bool, Default: "false", Doc: "print no summary after raw points"},
		{Name: "hdrhistogram.percentiles", Kind: property.List, Default: "50,95,99", Check: checkPercentiles, Doc: "which percentiles are printed"},
		{Name: "hdrhistogram.fileoutput", Kind: property.Bool, Default: "false", Doc: "write HdrHistogram logs"},
		{Name: "hdrhistogram.output.path", Kind: property.Text, Doc: "what their names begin with"},
		{Name: "histogram.buckets", Kind: property.Int, Default: "1000", Min: 1, Max: 1e7, Doc: "buckets of 1 ms"},
		{Name: "timeseries.granularity", Kind: property.Int, Default: "1000", Min: 1, Max: 86400_000, Doc: "milliseconds of a point"},
		{Name: "reportlatencyforeacherror", Kind: property.Bool, Default: "false", Doc: "a series of its own for each way to fail"},
		{Name: "latencytrackederrors", Kind: property.List, Doc: "a series of its own for these ways to fail"},
	}
	for i := range keys {
		keys[i].Status = property.Reporting
	}
	return keys
}
