// Package spool keeps records on disk until nobody needs them any more, across the death of the process that wrote
// them.
//
//  1. Open takes a directory for this process alone and finds the records that an earlier one left in it: Left yields
//     them, oldest first.
//  2. Add appends a record, with its length and a checksum, to the newest segment. A segment that is large enough is
//     followed by another.
//  3. Read fetches a record again, and checks it.
//  4. Remove says that a record is not needed; Sweep removes the segments of which none is.
//
// A slow disk holds up Add and Sweep alone: Read, Remove and Bytes do not wait for them.
//
// Nothing is synced: what a process has written survives it, though perhaps not its machine. A record that was torn by
// a crash is recognized by its checksum and counted as damage, with all that follows it in its segment.
package spool
