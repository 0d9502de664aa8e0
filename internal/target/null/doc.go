// Package null is the target that is not there: it accepts every operation, at once or after a simulated
// service time. It shows what the load generator itself costs, and whether it measures what it should: a
// target whose times are known beforehand is the proof of law 2.
//
//  1. Open reads the properties null.*.
//  2. Each session draws service times and outcomes of its own, from the run's seed and the worker's place.
//  3. An operation waits for its turn, if the target takes only so many a second, and then for its service
//     time, in which a stall counts for nothing. At last it is written into the log, if there is one.
//
// The target begins with its first operation: the stalls of several agents fall together because a phase
// begins at one instant on all of them.
package null
