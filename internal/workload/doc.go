// Package workload generates the operations of a run. It is YCSB's core workload, or its time series (Series), distributed over agents:
//
//  1. a Config contains the properties; Validate checks it;
//  2. a Shard is the part of one agent: rows to load, operations to issue, key numbers to insert, and the state that its
//     workers share, which is how far inserts have been acknowledged;
//  3. a Generator serves one worker: Next fills in an Op, Done takes its Outcome, Verify checks what it read;
//  4. Op, Kind, Code and Outcome describe operations to package load and the targets.
//
// All random choices follow from Config.Seed, the shard and the worker. Kinds, keys, fields, lengths and values come from
// separate streams, so that one does not shift another. Workers interact only through inserts: while they take key numbers
// from a shared counter and request each other's new rows, their timing affects the keys. Config.DealInserts separates
// them, so that a seed reproduces the keys too.
package workload
