// Package meta is hbase:meta: the table in which clients find regions and their servers.
//
//  1. Rows are made of regions and states of tables, in the cells and encodings that clients take apart (rows);
//  2. they are kept in memory in hbase:meta's own order, which compares the parts of a region's name one by one, not
//     its bytes (order), and
//  3. read by Get and Scan as those of any other table, filters included (table).
//
// It is made again from the store's catalogue at each start: there is one truth. Clients may not write to it.
package meta
