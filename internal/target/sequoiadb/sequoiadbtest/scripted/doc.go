// Package scripted is a server that speaks as much of SequoiaDB's native protocol as benchd's tests need. No package of SequoiaDB
// can be had, so its frames are written from what was seen of a real server, byte by byte, and share no code with the client: a
// mistake in the client is not mirrored here.
//
//  1. Serve accepts connections; each has a goroutine that reads one frame after another.
//  2. A frame that breaks the protocol (a wrong length, a byte of padding that is not zero, a document too many) closes the
//     connection and is reported as a violation.
//  3. Documents are in memory, in the order of their keys. A journal has every write before it is acknowledged, so that a killed
//     process finds them again.
//
// It is not SequoiaDB: its speed says nothing, it has no index but that of _id, no transactions, and the nodes and groups of its
// snapshots are invented.
package scripted
