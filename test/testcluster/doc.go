// Package testcluster starts benchd for tests as its users have it: the built programs, each in a process of its own,
// talking over the loopback interface.
//
//  1. Main builds the programs, once for all packages, and runs the tests of a package.
//  2. New starts a coordinator on ports that are free; its Agents connect to it.
//  3. Ctl runs benchctl on it; Submit, Show, Status and Until are for its most frequent commands.
//  4. RequireConsistent checks of a result what must be true of every result.
//  5. A Reader runs the commands of a document, as somebody who follows it does.
//  6. All processes end with the test that started them; when it failed it tells what they printed.
package testcluster
