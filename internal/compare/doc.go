// Package compare answers whether B is faster than A. It is pure.
//
//  1. A Side is the runs of some results by case, each figure with its value of every run (side).
//  2. New pairs the cases of two sides and lists what differs between them besides what was measured: first what the
//     workload does on the targets (terms), then builds, servers, settings, agents (difference). What must not be compared, such as an open and a closed loop, is refused with a reason.
//  3. Each figure of a pair gets a factor with its interval of 95 % by package stats, and a Verdict: better, worse, no
//     difference shown, or not enough runs. A difference is named when its interval leaves out 1 and the estimate is at least
//     the smallest effect worth naming (verdict).
//  4. The p-values are corrected for the number of figures as Benjamini and Hochberg do, so that a reader sees which
//     differences hold after that, too.
//  5. Odd repeats are named and never dropped.
package compare
