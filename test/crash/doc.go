//go:build integration

// Package crash kills coordinators, and what keeps the sandbox's tables, at random instants under load, and looks whether all that was
// acknowledged is there.
//
// A coordinator:
//
//  1. Simulated agents serve a run, cut windows as fast as they are acknowledged, and outlive the coordinator.
//  2. It is killed while it starts, or while it archives windows. When all that it had sent has arrived, a copy of its archive is opened and
//     read: it is sound, each acknowledged window is there once, and what else is there is there whole.
//  3. It is started again on the files as they are; agents come back, send again what was not acknowledged, and go on.
//  4. In the end the run's result counts each window once.
//
// The sandbox:
//
//  1. Each writer does a script of operations, which its number alone determines, on rows of its own, one after another.
//  2. Whatever is acknowledged is counted outside the process that is killed.
//  3. After the restart a writer's rows are as after all its acknowledged operations, or as after one more: the one that was under way. Nothing
//     else is right: not a part of an operation on two rows, not an increment done twice.
//  4. The writer goes on from there, so each kill builds on those before.
//
// It does so with the storage itself, in a child process of the test, and with "benchd sandbox" through a client of HBase.
// BENCHD_CRASH_KILLS is how often each is killed (a coordinator 50 times, the others 8).
package crash
