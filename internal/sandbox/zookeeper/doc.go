// Package zookeeper serves znodes over ZooKeeper's wire protocol, as far as clients of HBase use it: they read where
// the master and hbase:meta are, and wait for that to change.
//
//  1. The cluster writes znodes into a Tree; each write has the next transaction number;
//  2. a Server accepts connections; the first frame opens a session or takes up one that it gave earlier;
//  3. each further frame is one request, answered in order: read a node, look whether it is there, list its children;
//  4. a read may leave a watch; the Tree notifies the connection once when the node changes.
//
// Clients may not write. What a client sends is bounded in length and checked before it is used; a frame that makes no
// sense ends its connection and no other.
package zookeeper
