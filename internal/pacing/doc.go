// Package pacing computes when operations are intended to start:
//
//  1. a Config names the arrival and the Rate over time; Validate checks it;
//  2. a Rate is an area under a curve: operation k is intended where the area reaches k, so that instants are
//     computed from k alone and never drift;
//  3. a Schedule gives the instants of one shard to its free workers: at a fixed rate shard s of n takes operations
//     s, s+n, s+2n, …; Poisson arrivals are a separate stream of rate/n for each shard;
//  4. a Throttle paces one worker of a closed loop, as YCSB's target does;
//  5. Skip starts a Schedule or a Throttle in the middle of its phase, for a load that is handed over.
//
// The package is pure: it computes offsets from the start of a phase, and neither reads a clock nor waits.
package pacing
