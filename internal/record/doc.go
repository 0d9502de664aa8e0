// Package record is a run with all that the archive has of it, read and checked: what it was asked for, how far it
// came, when its phases began, which rows it wrote. It is pure; the archive is read and written by its callers.
//
//  1. NewRuns makes the archive's records of a suite that is submitted, RunAgain those of one that is resumed.
//  2. Open reads a record; the coordinator's conductor changes the State as the run goes on and archives it with
//     ToArchive.
//  3. Builder and Header make the result of a run; package results adds the windows.
//  4. NewSuite makes the state of a suite from its records; Standing, ReplacedBy and NewETA answer questions about all of its
//     runs.
package record
