// Package observe collects telemetry during a run: from the target, from Prometheus endpoints, and from the agent's host.
//
//  1. A Source reads once, within a time limit, and returns Groups: readings of the same instant with raw counter values,
//     plus events and warnings. Origins is the table of what can be watched: the target, which has its own Source (Opener),
//     Prometheus endpoints, and the agent's host. Open makes the Sources of a run.
//  2. Rates is the only place that turns counters into rates. No rate is negative, whatever restarts, and figures that a
//     server renews every ten seconds give a rate over these ten seconds, not nine zeros and a peak.
//  3. A Sampler reads each source at its interval in a goroutine of its own, maps instants to the run's time, averages ten
//     reads into one point in runs of more than 10 000 reads, and keeps the points until Take is called.
//
// A source that fails gives a warning and gaps. This package never waits for workers, nor do workers wait for it.
package observe
