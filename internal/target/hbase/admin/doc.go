// Package admin does to an HBase cluster what its administrators do, and what a benchmark needs done: tables,
// regions, flushes, compactions, the balancer.
//
//  1. Connect looks into ZooKeeper for the active master and the server of hbase:meta, and greets both. All of it is
//     bounded in time, and each thing that can be missing has an error of its own that names the cure.
//  2. A call goes to one server: the master, or the region server that hbase:meta names, over a connection that is
//     made when first needed. It ends with its context, whatever the server does.
//  3. What HBase does in procedures of its own is waited for until the procedure has ended.
//  4. Quiet tells when what was begun in the background is over.
//
// Calls go over connections of package rpc, as operations do. gohbase's admin client is not used: it retries forever where a
// server is gone, knows the namespace "default" only, and lacks half of the calls.
//
// A call that changes something is sent once. Where its answer is lost the error says so (ErrUnknown): whether it
// was carried out can be seen in the cluster, and only a person should decide to send it again.
package admin
