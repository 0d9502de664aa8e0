// Package setup prepares an HBase table for a run:
//
//  1. Points computes the split points of a new table.
//  2. Prepare checks whether the table exists, and creates or drops it according to hbase.table.create.
//  3. It checks that an existing table has the column family and is enabled, and waits until all regions are open.
//
// An existing table is dropped only with hbase.table.create=recreate. Tables that benchd creates have the attribute admin.Mark.
package setup
