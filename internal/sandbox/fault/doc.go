// Package fault is what goes wrong in a sandbox because somebody asked for it:
//
//  1. A Fault says what goes wrong, where, from when on, for how long and how often; it comes from a file (Parse) or
//     from a command (package control).
//  2. A Plan holds the faults that were added. Its clock begins for each fault when it is added.
//  3. Each server of the sandbox shows each Call to the Plan, which gives its Verdict: wait, answer with an exception
//     of HBase's, or cut the connection in the middle of the answer. Without faults that costs one atomic load.
//  4. Run carries out the faults that are events: servers that are killed, started again and added.
//
// What share of calls a fault hits is decided by its own generator, whose seed is reported: the n-th call that it could
// hit gets the same fate each time.
package fault
