// Package cluster records which region server serves which region, and changes that. The rest of the sandbox uses it:
//
//  1. each Server has a map of its regions, which requests read without a lock;
//  2. changes (a table created, a region moved, split or merged, a server lost) happen one at a time: first in the
//     store's catalogue, then in hbase:meta, then in the servers' maps;
//  3. a request for a region that has moved gets its new place, or the answer that the region is not served here.
//
// All servers share one store: a region's data stays in place when the region moves, and an acknowledged write outlives
// its server.
package cluster
