// Package sandbox is an embedded server that speaks HBase's own protocols: ZooKeeper's for clients that look for a
// cluster, and HBase's RPC for its master and its region servers. It is for trials, teaching and tests of faults.
//
//  1. Start opens the store, the ports of ZooKeeper, the master and the region servers, and assigns the regions;
//  2. a client finds the master and the server of hbase:meta in znodes (package zookeeper);
//  3. it looks up regions in hbase:meta, a table like any other, and connects to their servers (package rpc);
//  4. requests are answered from regions (package store), through filters (package filter);
//  5. the master creates tables, moves and splits regions, and gives those of a killed server to others.
package sandbox
