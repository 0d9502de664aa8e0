// Package rpc is a connection to one of HBase's servers, made for many workers that share it at little cost.
//
//  1. Dial connects and introduces the client. One goroutine then stands by to read, another to write.
//  2. A worker fills in a Call and sends it. The frame goes to the end of what is to be written; the worker writes
//     all of that itself, unless somebody is writing already: then whoever writes takes it along. So many workers
//     share one system call, and one alone waits for nobody.
//  3. The reader takes in as many answers as have come, copies each into its call's own buffer and wakes the worker,
//     who decodes it. A worker whose call is the only one that waits is the reader itself, and need not be woken by
//     anybody (Do); it makes room when its time is over (Yield).
//  4. A worker that gives up abandons its call (Abandon): an answer that still comes is dropped.
//  5. A connection that fails ends all calls that wait on it. That it has failed is also seen while no call waits, where
//     somebody calls Guard now and then, or at once with Config.KeepReading.
//
// Nobody waits in the kernel, so the runtime is not told when it is entered (socket).
// Nothing is allocated for a call that is used again.
package rpc
