// Package meta is hbase:meta: the table in which clients find regions and their servers.
//
//  1. Rows describe regions and table states, in the cells and encodings that clients parse (rows);
//  2. they are kept in memory in hbase:meta's own order, which compares the parts of a region's name one by one, not
//     its bytes (order), and
//  3. read by Get and Scan like those of any other table, filters included (table).
//
// It is rebuilt from the store's catalogue at each start, which is the single source of truth. Clients cannot write to
// it.
package meta
