// Package rpc implements a connection to an HBase server that many workers share at little cost.
//
//  1. Dial connects, makes the connection secure (Config.Secure) and sends the connection header. It starts a goroutine for reading and
//     one for writing.
//  2. A worker fills in a Call and sends it. The frame is appended to the output buffer, and the worker writes the buffer
//     itself, unless another goroutine is already writing: then that one writes it, too. So many workers share one system
//     call, and a single worker waits for nobody.
//  3. The reader takes all answers that have arrived, copies each into its call's buffer and wakes the worker, which decodes
//     it. A worker whose call is the only one waiting reads for itself, so that nobody has to wake it (Do). It hands over to
//     the connection's goroutine when its time is over (Yield).
//  4. A worker that stops waiting abandons its call (Abandon): a late answer is dropped.
//  5. A connection that fails ends all calls that wait on it. While no call waits, its end is noticed by periodic calls of
//     Guard, or at once with Config.KeepReading.
//
// No read or write waits in the kernel, so they are raw system calls that bypass the runtime (socket).
// A reused call allocates nothing.
package rpc
