// Package sqlite keeps suites, runs and their windows in one SQLite file, so that what was acknowledged to an
// agent survives whatever happens to the coordinator:
//
//  1. Open takes the lock of the data directory, looks at the file before it changes anything in it, brings its
//     schema to this build's version, and proves that it can write;
//  2. CreateSuite stores a suite with its runs, Apply stores how they went on;
//  3. AddWindows stores each window once, by its identity, and returns when the disk has it: only then may the
//     window be acknowledged;
//  4. Windows streams a run's windows back in the order of the measurement, Counts reports what is there and what
//     is missing;
//  5. RollUp merges the histograms of long phases, losing nothing that is shown;
//  6. Export and Import take a suite from one archive to another, as one file; Remove deletes an ended suite and
//     gives its space back, Purge goes on with what was broken off; Close folds the write-ahead log into the file.
//
// Backup and Check work on an archive that somebody else has open. All that takes long is done in small transactions.
//
// One connection writes, so writers wait for each other; a few others read, and never wait for the writer. The
// tables are for people too: docs/archive.md documents them, and each query in it is run by a test.
package sqlite
