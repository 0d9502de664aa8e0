// Package record is a run with its archived data, parsed and validated: what was requested, its progress, the start of its
// phases, the rows that it wrote. It is pure; its callers read and write the archive.
//
//  1. FirstRuns returns the archive's records of a submitted suite, RunAgain those of a resumed one.
//  2. Open reads a record; the coordinator's conductor changes the State as the run proceeds, and archives it with
//     ToArchive.
//  3. Builder and Header make the result of a run; package results adds the windows.
//  4. Planner.More returns the next runs of a suite with searches.
//  5. NewSuite returns the state of a suite from its records; Standing, ReplacedBy and NewETA answer questions about all of
//     its runs.
package record
