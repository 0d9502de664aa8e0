// Package zookeeper serves znodes over ZooKeeper's wire protocol, as far as HBase clients use it: they read the
// location of the master and hbase:meta, and watch for changes.
//
//  1. The cluster writes znodes into a Tree; each write has the next transaction number;
//  2. a Server accepts connections; the first frame opens a session or resumes an earlier one;
//  3. each further frame is a request, answered in order: read a node, check that it exists, list its children;
//  4. a read may leave a watch; the Tree notifies the connection once when the node changes.
//
// Clients cannot write. Client input is bounded in length and validated before use; a malformed frame ends only its own
// connection.
package zookeeper
