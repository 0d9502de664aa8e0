// Package sqlite stores suites, runs and their windows in one SQLite file, so that acknowledged data survives any failure of
// the coordinator:
//
//  1. Open locks the data directory, checks the file before it changes it, migrates the schema to this build's version, and
//     verifies that it can write;
//  2. CreateSuite stores a suite with its runs, Apply stores their changes;
//  3. AddWindows stores each window once, by its identity, and returns when it is on the disk: only then may the window be
//     acknowledged;
//  4. Windows streams a run's windows in the order of the measurement, Counts reports which are stored and which are
//     missing;
//  5. RollUp merges the histograms of long phases without changing results;
//  6. Export and Import transfer a suite between archives, as one file; Remove deletes an ended suite and frees its space,
//     Purge continues interrupted removals; Close writes the write-ahead log back to the file.
//
// Backup and Check work on an archive that another process has open. Long operations use small transactions.
//
// One connection writes, so writers wait for each other; a few others read, and never wait for the writer. The tables are
// for people too: docs/archive.md documents them, and a test runs each query in it.
package sqlite
