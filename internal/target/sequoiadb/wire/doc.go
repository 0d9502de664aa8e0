// Package wire speaks the native protocol of SequoiaDB, version 1 of its header, over one connection.
//
//  1. Dial connects, exchanges system information, which shows that a SequoiaDB serves the port, and authenticates.
//  2. A Message is a request under construction: its operation, and documents of BSON that are written in place.
//  3. Call sends a message and returns its Reply, whose documents are read in place. One request is under way at a time.
//  4. A Document is BSON of any origin: its lengths are checked as it is read.
//
// Requests and replies use the connection's memory again, so that a call allocates nothing. A reply occupies no more memory than
// the server has sent, up to MostReply. Numbers are little-endian, as servers on x86 and ARM send them.
package wire
