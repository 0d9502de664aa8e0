// Package cli is the common part of the command lines of benchd and benchctl:
//
//  1. A program builds its tree of cobra commands and hands it to Run, with arguments and streams.
//  2. Run gives each flag its value (package config), runs the command, and returns its error; a mistake in the
//     command line is a UsageError.
//  3. Exit prints that error on standard error, and returns its exit code.
//
// Exit codes: 0 success, 1 the run failed, 2 bad usage or spec, 3 a limit was violated, 4 result partial or
// cancelled, 5 cannot reach, too few agents, or not allowed.
package cli
