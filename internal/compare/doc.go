// Package compare says whether numbers differ, by tests that have names, and how far they spread. It is pure.
//
//   - Steady: whether a series of intervals has stopped changing.
//   - Repeats, Percentiles: what a figure was over the repeats of a case.
package compare
