// Package cluster knows which region server serves which region, and changes that. The rest of the sandbox asks it:
//
//  1. each Server has a map of the regions that it serves, which requests read without a lock;
//  2. a change (a table created, a region moved, split or merged, a server gone) is made one at a time: first in the
//     store's catalogue, then in hbase:meta, then in the servers' maps;
//  3. a request for a region that has moved is answered with where to look: that it moved, or that it is not served here.
//
// All servers share one store: what a region holds stays where it is when the region moves, and a write that was
// acknowledged outlives its server.
package cluster
