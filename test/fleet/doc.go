// Package fleet measures the cost of a coordinator that serves many agents, and checks that its results are exact:
//
//  1. benchd coordinator runs as a process of its own, with its archive, so that its CPU and memory are its own;
//  2. simulated agents, each on a TCP connection of its own, are this test's process: they speak the real
//     protocol, and send windows that were encoded beforehand, all at the same instants as real agents do;
//  3. when the run has ended, its result and its archive are compared with what was sent: every window once,
//     every count and every percentile exactly;
//  4. pairs of such runs, one in plain text and one with TLS and certificates of both ends, differ by the cost of TLS. A real agent, under a
//     profile, shows that its workers have no part in it.
//
// The default is short and checks only exactness. `make bench-fleet` and `make bench-tls` run the long forms, print their measurements, and
// also check time, memory, and the cost of TLS.
package fleet
