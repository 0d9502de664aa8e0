// Package lifecycle implements the life of a run and of a suite as pure state machines: no I/O, no clock, no goroutine.
//
//  1. The coordinator passes an Event to a State: an agent is ready, a phase has ended, a window is archived, an
//     agent is lost, a user cancels, a timer has fired.
//  2. Step changes the State and returns Commands: send this, start that, seal.
//  3. The coordinator archives the State, then executes the commands. After a restart it reads the State
//     and continues.
//
// A run is queued, then preparing (its agents prepare their shards), then running through its segments (a
// segment is a phase with the phases that join it), then stopping (if something ends it early), then sealed.
// testdata holds transcripts of whole lives, for reading as much as for testing.
//
// A Suite orders its runs in the same way: SuiteEvents in, SuiteCommands out. Its state is not archived, but built from the
// records of its runs.
package lifecycle
