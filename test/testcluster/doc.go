// Package testcluster starts benchd for tests as users run it: the built programs, each in its own process, connected over the
// loopback interface.
//
//  1. Main builds the programs, once for all packages, and runs the tests of a package.
//  2. New starts a coordinator on free ports, and Secured one with certificates; its Agents connect to it.
//  3. Ctl runs benchctl on it; Submit, Show, Status and Until are for its most frequent commands.
//  4. RequireConsistent checks the invariants of every result.
//  5. A Reader runs the commands of a document, as a user who follows it does.
//  6. All processes end with the test that started them; if it failed it prints their output.
package testcluster
