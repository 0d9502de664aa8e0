// Package view shows a run while it goes on:
//
//  1. A Snapshot is the known state of a suite; Add merges a message of the coordinator into it.
//  2. Render formats a snapshot as the lines of a screen, and Lines as text that is appended, one line for
//     each interval. Both are pure.
//  3. A View receives both as they arrive: Live shows the last snapshot on a terminal, reports the keys that
//     are pressed, and restores the terminal at the end; Plain appends lines if there is no terminal.
package view
