// Package trace stores the operations of an application in a compact file, and divides them over workers that repeat them:
//
//  1. a Writer takes entries in the order of their times, and writes them as chunks that can be read alone, an index, and a Card;
//  2. the Card describes the whole trace and contains the checksum of all before it, so that its own digest, the ID, names the trace;
//  3. a File reads chunks at any place; Verify checks all of it;
//  4. a Share is one agent's part: the operations whose keys belong to its workers. A key belongs to one worker, which
//     keeps the order of the operations of a key;
//  5. a Player yields the operations of one worker, a Loader the rows that must exist before.
//
// A file is read chunk by chunk: memory depends on the number of workers, not on the length of the trace.
package trace
