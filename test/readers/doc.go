// Package readers compares runs beside clients that read the coordinator's event stream with runs without any, in pairs:
//
//  1. Coordinator and agent are processes of their own. A closed loop on a target with a constant service time finds the capacity.
//  2. The runs of a pair are an open loop at half of it, one with 50 readers. Every other pair begins with the readers, so that what
//     disturbs the machine for longer than a run disturbs both.
//  3. The offered rate, late sends, and p50 of the runs are compared, and the CPU time of the coordinator from submission to end:
//     the difference of a pair is the cost of the readers.
//
// The default is one short pair, and checks that each reader gets all events. `make bench-readers` runs the long form, prints its
// measurements, and also checks their limits; it needs a quiet machine.
package readers
