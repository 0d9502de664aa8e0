// Package faults holds tests of what happens to machines and networks in the days of a long run (make test-faults).
//
//  1. Each test makes a network of its own: a switch and hosts, each a network namespace, with the coordinator, three
//     agents and what else it needs on hosts of their own. It takes root, and iproute2.
//  2. A run of a minute begins; meanwhile something breaks: processes are killed, links go down, packets vanish, disks
//     fill up, clocks jump.
//  3. The run's end is what it must be: complete where nothing was really lost, partial with the missing part named where
//     it was; every operation that was recorded is merged once, and nothing hangs.
//
// At the end a table of all faults and what came of them is printed.
package faults
