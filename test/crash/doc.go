//go:build integration

// Package crash kills coordinators, and the storage of the sandbox, at random instants under load, and checks that nothing
// acknowledged is lost.
//
// A coordinator:
//
//  1. Simulated agents serve a run, cut windows as fast as they are acknowledged, and outlive the coordinator.
//  2. It is killed while it starts, or while it archives windows. When the agents have received everything that it sent, the test opens
//     a copy of its archive: it is sound, has each acknowledged window once, and has other windows complete or not at all.
//  3. It is started again on the same files; the agents connect again, repeat windows without an acknowledgement, and continue.
//  4. At the end the run's result counts each window once.
//
// The same with an archive in PostgreSQL, whose server is killed in turn with the coordinator.
//
// The same with a schedule: it is killed about its due times. Each due time has one suite, or was skipped or missed.
//
// The sandbox:
//
//  1. Each writer executes a script of operations on its own rows, one after another. Its number determines the script.
//  2. Acknowledgements are counted outside the process that is killed.
//  3. After the restart a writer's rows match its acknowledged operations, or one more: the one in flight. Anything else is an error,
//     such as half of an operation on two rows, or an increment that is done twice.
//  4. The writer continues from there, so each kill builds on those before.
//
// The tests do so with the storage itself, in a child process of the test, and with "benchd sandbox" through a client of HBase.
// BENCHD_CRASH_KILLS is the number of kills of each (default: a coordinator 50, the others 8).
package crash
