// Package store keeps the sandbox's tables: namespaces, tables, regions and cells, with HBase's semantics, on pebble.
//
//  1. Open finds or makes the catalogue, in memory or in a folder. Every change of it is one atomic, synced batch.
//  2. A cell is one pebble entry. Its key is the table's number, the row, the family, the qualifier, the timestamp in
//     descending order and the type, in an encoding that keeps HBase's order for any bytes. A later value with the same
//     timestamp replaces the earlier one, and a split, a merge or a move changes only the catalogue.
//  3. A mutation locks its rows (striped), gets its timestamps, and becomes one batch, which is applied. Then the locks
//     are released before the wait for the batch's sync, so that many writers share one sync.
//  4. A read passes the cells of a row through a matcher: delete markers, time range, expiry, the family's versions,
//     the filter, the request's versions. It takes no lock. A scanner reads at the point in time at which it was
//     opened.
//  5. Writing a marker or an extra version deletes nothing. Region.Compact removes cells that no reader can see, as
//     HBase's major compaction does; the store also does so by itself after many overwrites.
//
// Cells are separate entries, not packed by row: a mutation does not need the rest of its row, so a Put reads nothing,
// and compaction and versions work by cell. The cost: a row of ten columns takes about twice the processor time of one
// cell of the same size (BenchmarkGet/hot and BenchmarkGetOfOneCell: 8.5 and 4.0 µs on a busy machine), which is less
// than the rest of the request takes.
package store
