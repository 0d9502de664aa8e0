// Package faults tests the faults of machines and networks that happen during a long run (make test-faults).
//
//  1. Each test makes its own network: a switch and hosts, each a network namespace, for one coordinator or two, three
//     agents and other processes of the test. It needs root and iproute2.
//  2. A run of a minute starts. Meanwhile something breaks: processes are killed, links go down, packets are dropped, disks
//     fill up, clocks jump.
//  3. The test checks the end of the run: complete if no measurement was lost, otherwise partial with the missing part named.
//     Every recorded operation is merged once, and nothing hangs.
//
// At the end the tests print a table of all faults and their outcomes.
package faults
