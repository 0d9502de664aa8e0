// Package rawio reads and writes non-blocking descriptors, without announcing the system calls to Go's runtime.
//
// The runtime's monitor, a thread of its own, sleeps while no goroutine runs. A goroutine that announces a system call wakes
// it: it looks around and sleeps again. A process whose few goroutines wait most of the time pays for that at each system
// call, and waking a thread costs more than most of these calls.
//
// A call that is not announced must end soon: meanwhile its processor runs no other goroutine, and the garbage collector
// waits for it. So descriptors must not block; the runtime waits until they can be read or written, by syscall.RawConn.
//
// A sleeping monitor does not do its work: it takes the processor from a goroutine that has computed for ten milliseconds,
// and it polls the network when no processor has done so for as long. Without it a computing goroutine (the decoding of a
// large answer, for example) keeps its processor until it is done or a timer of the process fires. When all processors
// compute, answers that have arrived are not read, and the wait is recorded as latency of the target. The histogram of
// scheduling delays does not show it either: the waiting goroutines are not runnable yet.
//
// Beat bounds that: during a segment of a run, a timer lets the monitor sleep for at most ten milliseconds. One worker on one
// processor, a target that answers after 200 µs, and 5 computations of 500 ms in 5000 operations, on a busy machine:
//
//	                  p99.9      max      answers seen only after the computation
//	known calls       13.4 ms    28 ms    0 of 5
//	raw calls         35.2 ms   502 ms    5 of 5
//	raw, with Beat    15.4 ms    20 ms    0 of 5
//
// BenchmarkBeat shows its cost. With the flag --raw-io=off of agents, "benchctl run" and "benchd dev", all calls are announced
// and there is no heartbeat, so that a result can be compared with one without this package; the result has the setting as
// raw_io of each agent.
package rawio
