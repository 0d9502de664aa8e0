// Package keyspace defines the keys of rows, the distributions of requests and the values of fields. By default they are
// YCSB's, so that YCSB and benchd can read each other's tables:
//
//  1. a row is a key number; Names turns it into a key (prefix, zero padding, hashed or ordered, or a Template of the
//     user's), and Quantiles divides the keys evenly;
//  2. a Distribution draws key numbers and lengths: Uniform, Zipfian, Scrambled, Hotspot, Sequential, Constant,
//     LengthHistogram and LengthSample draw from a fixed range, Latest and Exponential count back from the newest row;
//  3. Values fills fields with random bytes that look and compress like YCSB's, or compress to a stated ratio;
//     FillIntegrity fills them with bytes that follow from key and field, so that Integrity can verify a read;
//  4. Rand is the source of all randomness: one seed and a path (phase, shard, worker, purpose) give one stream.
//
// The package is pure: it has no clock, no I/O and no goroutines, and does not allocate after construction.
package keyspace
