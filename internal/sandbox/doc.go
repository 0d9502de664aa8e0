// Package sandbox is an embedded server that speaks HBase's own protocols: ZooKeeper's for clients that look for a
// cluster, and HBase's RPC for its master and its region servers. It is for trials, teaching and fault tests.
//
//  1. Start opens the store and the ports of ZooKeeper, the master and the region servers, and assigns the regions;
//  2. a client finds the master and the server of hbase:meta in znodes (package zookeeper);
//  3. it looks up regions in hbase:meta (package meta), and connects to their servers (packages rpc, regionserver);
//  4. the regions of one store, which all servers share, answer the requests (package store);
//  5. the master creates tables, moves and splits regions (packages master, cluster), and reassigns the regions of a
//     killed server when it has noticed;
//  6. metrics and control go over HTTP on info ports (packages jmx, control).
package sandbox
