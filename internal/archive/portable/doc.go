// Package portable is the file of an exported suite, the same for every kind of archive. It accesses no database.
//
//  1. Tables lists the tables of a suite and their columns, in the order of the file. NewWriter begins a file; each Row follows
//     its parent's; End writes the checksum.
//  2. Import reads a file from a source that is not trusted: it knows the tables and columns of files of earlier versions, keeps the bounds of
//     docs/limits.md, and checks that each row belongs to its parent. An archive stores the rows as the Sink of the import, reads the suite
//     back to be validated, and accepts it. Take does the same with a suite of a copy of a whole archive.
package portable
