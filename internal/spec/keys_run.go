package spec

import (
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
)

// HandoverProperty is the property for how long a load waits before its rows are handed over.
const HandoverProperty = "handover.after"

// defaultTarget is the target of submissions without the property db: it stores nothing.
const defaultTarget = "null"

// runKeys are the properties of a run: target, phases, workers, pace, time and limits.
func runKeys(targets descriptor.List) []property.Key {
	const century = 100 * 365 * 86400
	return []property.Key{
		{Name: "db", Kind: property.Enum, Default: defaultTarget, Values: targets.Names(), Check: dbCheck(targets), Doc: "the system under test"},
		{Name: "workload", Kind: property.Enum, Default: coreWorkload, Values: []string{coreWorkload, seriesWorkload}, Check: checkWorkload, Doc: "YCSB's workload class"},
		{Name: "table", Kind: property.Text, Default: "usertable", Doc: "name of the table"},
		{Name: "phase", Kind: property.Enum, Default: "run", Values: []string{"load", "run", "load,run"}, Check: checkPhase, Doc: "phases to execute"},
		{Name: "dotransactions", Kind: property.Bool, Status: property.Alias, Of: "phase", Check: checkTransactions, Doc: "true means phase=run, false means phase=load"},

		{Name: "threadcount", Kind: property.Int, Default: "1", Min: 1, Max: 1e5, Doc: "number of workers on each agent"},
		{Name: "threads", Kind: property.Int, Min: 1, Max: 1e5, Status: property.Alias, Of: "threadcount", Reason: "YCSB ignores the property threads and would run with one thread", Doc: "alias of threadcount, which many users write"},
		{Name: "threads.total", Kind: property.Int, Default: "0", Max: 1e7, Doc: "number of workers over all agents, instead of threadcount"},

		{Name: "target", Kind: property.Int, Default: "0", Max: 1e9, Doc: "YCSB's throttle: a closed loop at this many operations per second over all agents, which catches up after a delay; 0 means no throttle"},
		{Name: "arrival", Kind: property.Enum, Default: "closed", Values: []string{"closed", "fixed", "poisson", replay}, Doc: "when operations are intended to start: closed, as soon as a worker is free; fixed, evenly spaced at rate; poisson, with random gaps at rate; replay, at the instants of trace, which sets it"},
		{Name: "rate", Kind: property.Rate, Check: checkRate, Doc: "operations per second over all agents in an open loop: 1000, or 1000 -> 50000 over 10m, or 1000 for 1m, 2000 for 1m"},

		{Name: "duration", Kind: property.Duration, Default: "0s", Max: century, Doc: "how long to measure; 0 measures until operationcount is reached"},
		{Name: "maxexecutiontime", Kind: property.Int, Max: century, Status: property.Alias, Of: "duration", Check: checkSeconds, Doc: "duration in seconds"},
		{Name: "warmup", Kind: property.Duration, Default: "0s", Max: century, Doc: "how long to run before measuring; with warmup.ops or warmup.until, the maximum"},
		{Name: "warmup.ops", Kind: property.Int, Default: "0", Max: 1 << 60, Doc: "number of operations over all agents to run before measuring, not counted in operationcount; if warmup is set too, measuring starts at whichever comes first"},
		{Name: "warmup.until", Kind: property.Enum, Values: []string{string(plan.Steady)}, Doc: "start measuring when throughput and service time are steady, at the latest after warmup (default " + steadyWithin + ")"},
		{Name: "interval", Kind: property.Duration, Default: "1s", Min: 0.1, Max: 60, Doc: "length of a window, 100ms to 1m"},

		{Name: HandoverProperty, Kind: property.Duration, Min: 1, Max: 120, Doc: "how long a load with --on-agent-loss continue waits for a disconnected agent before an agent that has finished its own part takes over its rows, 1s to 2m (default 40s); a free agent takes over after at most 30s"},

		{Name: ActionsProperty, Kind: property.Text, Check: actionsOf(targets...).check, Doc: "actions on the target during measuring, each with its time since the start of measuring: 60s major_compact; 90s split usertable user5; 2m hook restart; on a sandbox 10s fault latency delay=5ms length=20s; 40s clear_faults"},

		{Name: "limit.notfound", Kind: property.Percent, Default: "0.001", Doc: "share of NOT_FOUND above which the run ends as failed; 1 means no limit"},
		{Name: "limit.errors", Kind: property.Percent, Default: "1", Doc: "share of other failed operations, or of wrong values found by dataintegrity, above which the run ends as failed; 1 means no limit"},

		{Name: "spin.sleep", Kind: property.Bool, Status: property.Idle, Reason: "benchd's workers wait for the clock without spinning"},
		{Name: "maxscanrate", Kind: property.Text, Status: property.Idle, Reason: ofBigtable},
		{Name: "scanoptimelimit", Kind: property.Text, Status: property.Idle, Reason: ofBigtable},
		{Name: "discardscannedrecord", Kind: property.Bool, Status: property.Idle, Reason: ofBigtable},
		{Name: "measurement.trackjvm", Kind: property.Bool, Status: property.Idle, Reason: "there is no JVM to track; every result shows the agents' CPU and garbage collection"},
	}
}

// ofBigtable is the reason for properties of YCSB's workload_template that only its binding for Google Bigtable reads.
const ofBigtable = "only YCSB's binding for Google Bigtable reads it"

// reportingKeys are the properties of YCSB's output. Results contain the data for all of them.
func reportingKeys() []property.Key {
	exporters := func(name string) string { return "site.ycsb.measurements.exporter." + name + "MeasurementsExporter" }
	keys := []property.Key{
		{Name: "status", Kind: property.Bool, Default: "false", Doc: "print status lines"},
		{Name: "status.interval", Kind: property.Int, Default: "10", Min: 1, Max: 86400, Doc: "seconds between status lines"},
		{Name: "label", Kind: property.Text, Doc: "prefix of a status line"},
		{Name: "exporter", Kind: property.Enum, Default: exporters("Text"), Values: []string{exporters("Text"), exporters("JSON"), exporters("JSONArray")}, Check: checkExporter, Doc: "YCSB's exporter class"},
		{Name: "exportfile", Kind: property.Text, Doc: "file for the output"},
		{Name: "measurementtype", Kind: property.Enum, Default: "hdrhistogram", Values: []string{"hdrhistogram", "histogram", "hdrhistogram+histogram", "hdrhistogram+raw", "timeseries", "raw"}, Doc: "kind of measurements to print"},
		{Name: "measurement.interval", Kind: property.Enum, Default: "op", Values: []string{"op", "intended", "both"}, Doc: "times to print: op, service times; intended, response times; or both"},
		{Name: "measurement.histogram.verbose", Kind: property.Bool, Default: "false", Reason: "buckets are not printed; `benchctl report ID --format hlog --out DIR` writes them all", Doc: "print every bucket"},
		{Name: "measurement.raw.output_file", Kind: property.Text, Doc: "file for raw points"},
		{Name: "measurement.raw.no_summary", Kind: property.Bool, Default: "false", Doc: "print no summary after raw points"},
		{Name: "hdrhistogram.percentiles", Kind: property.List, Default: "50,95,99", Check: checkPercentiles, Doc: "percentiles to print"},
		{Name: "hdrhistogram.fileoutput", Kind: property.Bool, Default: "false", Doc: "write HdrHistogram logs"},
		{Name: "hdrhistogram.output.path", Kind: property.Text, Doc: "prefix of the names of HdrHistogram logs"},
		{Name: "histogram.buckets", Kind: property.Int, Default: "1000", Min: 1, Max: 1e7, Doc: "number of 1 ms buckets"},
		{Name: "timeseries.granularity", Kind: property.Int, Default: "1000", Min: 1, Max: 86400_000, Doc: "milliseconds per point"},
		{Name: "reportlatencyforeacherror", Kind: property.Bool, Default: "false", Doc: "print a separate series for each kind of failure"},
		{Name: "latencytrackederrors", Kind: property.List, Doc: "kinds of failure to print as separate series"},
	}
	for i := range keys {
		keys[i].Status = property.Reporting
	}
	return keys
}
