// Package keyspace knows which rows there are, which of them are asked for, and what stands in them. All of it
// is YCSB's, so that a table loaded by one is read by the other:
//
//  1. a row is a key number; Names turns it into a key (prefix, zero padding, hashed or ordered);
//  2. a Distribution draws key numbers and lengths: Uniform, Zipfian, Scrambled, Hotspot, Sequential, Constant
//     and LengthHistogram draw from a fixed range, Latest and Exponential count back from the newest row;
//  3. Values fills fields with random bytes that look and compress like YCSB's, Integrity with bytes that follow
//     from key and field and can be verified after a read;
//  4. all that is random comes from a Rand: one seed and a path (phase, shard, worker, purpose) give one stream.
//
// The package is pure: no clock, no I/O, no goroutine, and no allocation once things are built.
package keyspace
