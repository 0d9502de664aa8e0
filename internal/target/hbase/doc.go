// Package hbase puts a table of HBase under load. Each worker has a session, which does one operation after another:
//
//  1. Open asks ZooKeeper and the master whether the cluster is there, and one agent's Prepare whether table and column
//     family are, so that what is wrong is told within seconds and by name. The region cache is filled.
//  2. A session looks up the region that holds a key, which takes no lock, writes the request into a buffer of its own
//     and sends it over one of the connections that all sessions share (package rpc).
//  3. An error that another try may mend (the region has moved, the server is busy or gone) is noted, counted and tried
//     again until the operation's time is over: the outcome is then TIMEOUT, with the last such error as its cause.
//     Everything else ends the operation at once, under the name that fits.
//  4. Operations of many rows go to all servers at once, in one request each; what fails of them is tried again alone.
//  5. A scan is made of pages that leave nothing open on the server, so that no row is lost or counted twice when a
//     region moves.
//  6. A watch ends connections on which nothing is answered any more. With it no call waits longer than its time.
//
// From gohbase comes the compression of cell blocks. Its client is not used: an operation costs it forty allocations, a
// read call for each part of an answer and a write call of its own; it sends an increment again without the nonce that
// keeps it from counting twice, resumes no scan, and hides why it waits. The benchmark here measures the difference.
package hbase
