// Package setup makes an HBase table fit for a run:
//
//  1. Points works out where a new table is split.
//  2. Prepare looks whether the table is there and does what hbase.table.create says about it.
//  3. It judges what it found: the column family, whether the table is enabled; and waits until all regions are open.
//
// A table that is there is dropped only where the user said `recreate`. What benchd creates carries admin.Mark, by
// which it knows its own tables again.
package setup
