// Package simulated has agents that follow the protocol and measure nothing, each on a TCP connection of its own: a test of a coordinator with
// many agents needs no process for each of them.
//
//  1. NewLoad encodes windows beforehand, so that sending them is cheap; Load.Expected merges what was sent.
//  2. Dial connects an agent, Serve answers the coordinator, and Measure sends a window at the end of each interval of one run, until
//     all are sent or End is called.
package simulated
