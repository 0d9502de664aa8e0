// Package lifecycle is the life of a run and of a suite as pure state machines: no I/O, no clock, no goroutine.
//
//  1. The coordinator gives a State an Event: an agent is ready, a phase has ended, a window is safe, an
//     agent is lost, somebody cancels, a timer has fired.
//  2. Step changes the State and answers with Commands: send this, start that, seal.
//  3. The coordinator archives the State, then carries the commands out. After a restart it reads the State
//     back and goes on.
//
// A run is queued, then preparing (its agents make their shards ready), then running through its segments (a
// segment is a phase with the phases that join it), then stopping (if something ends it early), then sealed.
// testdata holds transcripts of whole lives, for reading as much as for testing.
//
// A Suite puts runs in their order in the same way: SuiteEvents in, SuiteCommands out. Its state is not archived but made
// from the records of its runs.
package lifecycle
