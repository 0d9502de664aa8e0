// Package incident computes what an action, a fault or an event of the cluster cost: whether the throughput fell, how
// deep, for how long, and how many operations, errors and how much latency that was. It is pure.
//
//  1. The causes of a phase (causes) are its actions and those of its events that can change the throughput.
//  2. Causes that are close together become one incident, named by the first (finder).
//  3. The intervals before it, without those that an earlier incident has disturbed, are what is usual (baseline).
//  4. A dip is claimed only for intervals below the noise of those before (dipIn), and ends by the rule of result.Effect.
//  5. The area, the failed operations and the response times of its intervals are its cost (cost).
package incident
