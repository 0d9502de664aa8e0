// Package rpc speaks HBase's RPC as a server does.
//
//  1. A connection begins with a preamble and a header that names a service, and how cells and their blocks are encoded;
//  2. each frame after that is a call: a header, a message, a block of cells. Calls of one connection are served at
//     once as they are read where that takes no time (Service.Quick), else beside each other;
//  3. the answer, a message with a block of cells or an exception of Java's, goes out with the others that are ready
//     by then: one write when no further call has been read.
//
// What a client sends is bounded: the length of a frame, memory for long frames over all connections, calls in hand,
// answers that it does not read. A frame that makes no sense ends its connection and no other.
package rpc
