// Package spool keeps records on disk until they are no longer needed, even if the process that wrote them dies.
//
//  1. Folder, FolderBelow and Below open a folder that belongs to the user of this process alone. Check and CheckBelow report why
//     they would refuse one.
//  2. Open locks such a folder for this process and finds the records of an earlier process: Left yields them, oldest
//     first.
//  3. Add appends a record, with its length and a checksum, to the newest segment. It begins a new segment when that one
//     is large enough.
//  4. Read reads a record back, and checks it.
//  5. Remove marks a record as no longer needed; Sweep removes the segments without needed records.
//
// A slow disk only delays Add and Sweep: Read, Remove and Bytes do not wait for them.
//
// Nothing is synced: records survive their process, but perhaps not a crash of the machine. A record torn by a crash is
// recognized by its checksum and counted as damage, with all that follows it in its segment.
package spool
