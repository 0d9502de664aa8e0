// Package capture turns logs of operations into a trace:
//
//  1. a format reads the lines of an input: CSV, JSON lines, or a log that a target describes;
//  2. a line becomes an operation; each mistake is recorded with its file, line and column, up to a number of them;
//  3. the inputs are merged by time, and operations that are a little out of order are sorted;
//  4. the operations of one table are written, with their keys or hashes of them.
package capture
