// Package workload says which operation comes next, and with what. It is YCSB's core workload, cut over agents:
//
//  1. a Config says what the properties say; Validate checks it;
//  2. a Shard is one agent's part of it: rows to load, operations to issue, key numbers to insert, and what its
//     workers know together, which is how far inserts have been acknowledged;
//  3. a Generator serves one worker: Next fills in an Op, Done takes its Outcome, Verify checks what it read;
//  4. Op, Kind, Code and Outcome are the words in which load and targets speak of operations.
//
// All that is drawn follows from Config.Seed, the shard and the worker: kinds, keys, fields, lengths and values come
// from streams of their own, so that what happens to one does not shift another. What a run
// inserts is where workers may meet: as long as they take the next key number as they come and ask for each other's new
// rows, chance decides about keys. Config.DealInserts keeps them apart, so that a seed repeats those too.
package workload
