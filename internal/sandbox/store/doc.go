// Package store keeps the sandbox's tables: namespaces, tables, regions and cells, with HBase's semantics, on pebble.
//
//  1. Open finds or makes the catalogue, in memory or in a folder. Every change of it is one atomic, synced batch.
//  2. A cell is one pebble entry. Its key is the table's number, the row, the family, the qualifier, the time downwards and the type,
//     in an encoding that keeps HBase's order for any bytes; so a later value of the same time replaces the earlier one, and a split, a
//     merge or a move is work on the catalogue alone.
//  3. A mutation locks its rows (striped), gets its times, and becomes one batch, which is applied; the locks are released, and then the
//     batch's sync is awaited, so that many writers share one.
//  4. A read walks the cells of a row through a matcher: delete markers, times, expiry, the family's versions, the filter, the
//     request's versions. It takes no lock. A scanner reads at the point in time at which it was opened.
//  5. Nothing is deleted when a marker is written or a version is one too many. Region.Compact removes what no reader can see, as HBase's
//     major compaction does; the store also does so by itself when much has been overwritten.
//
// Cells are entries of their own, not packed by row: a mutation need not know what else its row holds, so a Put reads nothing, and
// compaction and versions work by cell. That has its price: a row of ten columns takes about twice the processor time of one cell of the
// same size (BenchmarkGet/hot and BenchmarkGetOfOneCell: 8.5 and 4.0 µs on a busy machine), which is less than the request around it takes.
package store
