// Package rpc is the server side of HBase's RPC.
//
//  1. A connection begins with a preamble and a header that names a service, and the encodings of cells and cell
//     blocks;
//  2. each further frame is a call: a header, a message, a cell block. Calls that take no time (Service.Quick) are
//     served inline as they are read, others concurrently;
//  3. the answer, a message with a cell block or a Java exception, is written together with the other ready answers: in
//     one write if no further call has been read.
//
// Everything that a client sends is bounded: the length of a frame, the memory of long frames over all connections, the
// calls in progress, the unread answers. A malformed frame ends only its own connection.
package rpc
