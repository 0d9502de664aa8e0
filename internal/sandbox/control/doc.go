// Package control is how somebody outside steers a sandbox while it runs:
//
//  1. Handler answers HTTP below /sandbox/ on the master's info port, with JSON;
//  2. Client asks it, for `benchctl sandbox`.
//
// What is asked is checked by package fault, as faults from a file are. A browser that a stranger's page steers is
// refused: requests that change something must say that they are JSON, and name the machine that they mean.
package control
