// Package ttytest gives tests a terminal:
//
//  1. Open makes one of 100 columns and 30 lines.
//  2. The test hands its file to what is tested, as standard input and output.
//  3. Shows waits for what the user would see, Press types.
package ttytest
