// Package null is a target without a system behind it: it accepts every operation, at once or after a simulated service time.
// It shows the cost of the load generator itself, and tests its measurements: a target with known times proves law 2.
//
//  1. Open reads the properties null.*.
//  2. Each session draws its own service times and outcomes, seeded by the run's seed, the shard and the worker.
//  3. An operation waits for its turn, if the target has a capacity, and then for its service time, which stops during a
//     stall. Then it is written to the log, if there is one.
//
// Times count from the target's first operation. The stalls of several agents coincide, because a phase begins at one instant
// on all of them.
package null
