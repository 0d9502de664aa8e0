// Package admin is a client for HBase administration: tables, regions, flushes, compactions, the balancer.
//
//  1. Connect finds the active master and the server of hbase:meta by a registry, which is ZooKeeper or a list of servers, and connects to
//     both. Each step has a time limit, and each thing that can be missing has an error of its own that names the cure.
//  2. A call goes to one server: the master, or the region server that hbase:meta names, over a connection that is made when
//     it is first needed. The call ends with its context, whatever the server does.
//  3. A call that starts a procedure in HBase waits until the procedure has ended.
//  4. Quiet waits until all background work has ended.
//
// Calls go over connections of package rpc, as operations do. gohbase's admin client is not used: it retries forever where a
// server is gone, knows the namespace "default" only, and lacks half of the calls.
//
// A call that changes something is sent once. If its answer is lost, the error is ErrUnknown: the cluster shows whether the
// call was carried out, and only a person should decide to send it again.
package admin
