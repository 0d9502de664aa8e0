// Package kernel reads and writes descriptors that do not block, without telling Go's runtime that it enters the kernel.
//
// The runtime's monitor sleeps while no goroutine runs, and whoever tells of entering the kernel wakes it: a thread of its own,
// which looks around and sleeps again. A process whose few goroutines all wait most of the time pays for that at each system
// call, and waking a thread costs more than most of these do.
//
// What is not told of must end soon: meanwhile its processor serves nobody else, and the collector waits for it. So a
// descriptor must not block, and waiting until it can be read or written is left to the runtime, by syscall.RawConn.
package kernel
