// Package observe watches what a run is done to while it goes on: targets, endpoints of Prometheus, the agent's own host.
//
//  1. A Source looks once, within a bound of time, and gives Groups: readings that were true at the same instant, counters
//     as they stand, beside what has happened and what could not be seen. Origins is the table of what can be watched: the
//     target, which brings its own Source (Opener), endpoints of Prometheus, the agent's host. Open makes the Sources of a run.
//  2. Rates makes rates of counters, here and nowhere else: none is negative, whatever restarts, and figures that a server
//     renews every ten seconds give a rate over these ten seconds, not nine zeros and a peak.
//  3. A Sampler looks at all sources at their pace in a goroutine of its own, maps instants to the run's time, makes one
//     point of ten looks in runs of more than 10 000 of them, and keeps what it has until it is taken.
//
// A source that fails gives a warning and gaps. Nothing here ever waits for workers, nor they for it.
package observe
