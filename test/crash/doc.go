//go:build integration

// Package crash kills what keeps the sandbox's tables, at random instants under load, and looks whether all that was acknowledged is there.
//
//  1. Each writer does a script of operations, which its number alone determines, on rows of its own, one after another.
//  2. Whatever is acknowledged is counted outside the process that is killed.
//  3. After the restart a writer's rows are as after all its acknowledged operations, or as after one more: the one that was under way. Nothing
//     else is right: not a part of an operation on two rows, not an increment done twice.
//  4. The writer goes on from there, so each kill builds on those before.
//
// It does so with the storage itself, in a child process of the test, and with "benchd sandbox" through a client of HBase.
// BENCHD_CRASH_KILLS is how often each is killed (8).
package crash
