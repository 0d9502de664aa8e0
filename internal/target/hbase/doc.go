// Package hbase is the HBase client of workers. Each worker has a session, which carries out one operation after another:
//
//  1. Open checks with ZooKeeper and the master that the cluster is there. Prepare, on one agent, checks that the table and the
//     column family exist. So mistakes are reported by name within seconds. Open also fills the region cache.
//  2. A session finds the region of a key in the cache without a lock, encodes the request into its own buffer and sends it
//     over one of the connections that all sessions share (package rpc).
//  3. A temporary error (the region has moved, the server is busy or gone) is counted, and the request is retried until the
//     operation's time is over: the outcome is then TIMEOUT, with the last error as its cause. Any other error ends the
//     operation at once, with the code that fits.
//  4. Operations on many rows go to all servers at once, in one request each. Only the rows that fail are retried.
//  5. A scan consists of pages that keep no state on the server, so that no row is lost or counted twice when a region moves.
//  6. A connection on which nothing is answered is closed. No call waits longer than its time.
//
// The compression of cell blocks is gohbase's, and nothing else of it. Its client can be chosen instead of this one (package gohbase,
// hbase.client=gohbase), for those whose applications use it: an operation costs it a hundred allocations, a read call for each part of
// an answer and a write call of its own; it resends an increment without the nonce that keeps it from counting twice, does not resume
// scans, and hides why it waits. BenchmarkRead measures the difference.
package hbase
