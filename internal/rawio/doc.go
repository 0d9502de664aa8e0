// Package rawio reads and writes descriptors that do not block, without telling Go's runtime that it enters the kernel.
//
// The runtime's monitor sleeps while no goroutine runs, and a goroutine that announces a system call wakes it: a thread of its own,
// which looks around and sleeps again. A process whose few goroutines all wait most of the time pays for that at each system
// call, and waking a thread costs more than most of these do.
//
// Calls that are not announced must end soon: meanwhile its processor serves nobody else, and the collector waits for it. So a
// descriptor must not block, and waiting until it can be read or written is left to the runtime, by syscall.RawConn.
//
// A monitor that sleeps does not do its work: it takes the processor from a goroutine that has computed for ten milliseconds,
// and it asks the network for answers when no processor has done so for as long. Without it a goroutine that computes (the
// decoding of a large answer, for example) keeps its processor until it is done or a timer of the process rings. When as many
// compute as there are processors, answers that have come are not looked at, and the wait is recorded as latency of the
// target. The histogram of scheduling delays does not show it either: the goroutines that wait are not runnable yet.
//
// Beat bounds that: while a segment of a run goes on, a timer lets the monitor sleep for ten milliseconds at most. One worker on
// one processor, a target that answers after 200 µs, and 5 computations of 500 ms in 5000 operations, on a busy machine:
//
//	                  p99.9      max      answers seen only after the computation
//	known calls       13.4 ms    28 ms    0 of 5
//	raw calls         35.2 ms   502 ms    5 of 5
//	raw, with Beat    15.4 ms    20 ms    0 of 5
//
// BenchmarkBeat shows its cost. The flag --raw-io=off of agents, "benchctl run" and "benchd dev" has all calls announced and
// starts no heartbeat, so that a result can be compared with one without this package; the result has the setting as raw_io of
// each agent.
package rawio
