// Package sandbox is an embedded server that speaks HBase's own protocols: ZooKeeper's for clients that look for a
// cluster, and HBase's RPC for its master and its region servers. It is for trials, teaching and tests of faults.
//
//  1. Start opens the store, the ports of ZooKeeper, the master and the region servers, and gives these the regions;
//  2. a client finds the master and the server of hbase:meta in znodes (package zookeeper);
//  3. it looks up regions in hbase:meta (package meta), and connects to their servers (packages rpc, regionserver);
//  4. requests are answered from the regions of one store that all servers share (package store);
//  5. the master creates tables, moves and splits regions (packages master, cluster), and gives those of a killed
//     server to others when it has noticed;
//  6. figures and control go over HTTP on info ports (packages jmx, control).
package sandbox
