// Package ttytest gives tests a terminal:
//
//  1. Open makes one of 100 columns and 30 lines.
//  2. The test passes its file to the code under test, as standard input and output.
//  3. Shows waits for output, Press types.
package ttytest
