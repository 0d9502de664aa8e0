// Package fleet measures what a coordinator costs that serves a fleet of agents, and proves that it is exact:
//
//  1. benchd coordinator runs as a process of its own, with its archive, so that its CPU and memory are its own;
//  2. simulated agents, each on a TCP connection of its own, are this test's process: they speak the real
//     protocol, and send windows that were encoded beforehand, all at the same instants as real agents do;
//  3. when the run has ended, its result and its archive are compared with what was sent: every window once,
//     every count and every percentile exactly.
//
// The ordinary form is short and judges exactness alone. `make bench-fleet` runs it in full, prints what it saw,
// and judges the time and the memory, too.
package fleet
