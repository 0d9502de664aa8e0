// Package view shows a run while it goes on:
//
//  1. A Snapshot is what has been seen of a suite so far; Add folds what the coordinator says into it.
//  2. Render lays a snapshot out as the lines of a screen, and Lines as text that is appended, one line for
//     each interval. Both are pure.
//  3. A View is given both as they come: Live keeps a terminal showing the last snapshot, tells of the keys that
//     were pressed, and gives the terminal back as it was; Plain appends lines where there is no terminal.
package view
