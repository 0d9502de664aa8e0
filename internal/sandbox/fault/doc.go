// Package fault injects faults into a sandbox:
//
//  1. A Fault has a kind, a place, a start, a length and a share of calls; it comes from a file (ParseFile) or from a
//     command (package control).
//  2. A Plan holds the faults. A fault's times count from when it was added.
//  3. Each server of the sandbox passes each Call to the Plan, which returns a Verdict: wait, answer with an HBase
//     exception, or cut the connection in the middle of the answer. Without faults this costs one atomic load.
//  4. Run carries out the faults that are events: it kills, restarts, silences and adds servers.
//
// Each fault decides with its own generator, whose seed is reported, which calls of its share it hits: the n-th
// candidate call always gets the same decision.
package fault
