// Package stats has the statistics that results and reports rest on. It is pure, and imports nothing of ours.
//
//   - Repeats, Percentiles: a figure over the repeats of a case, as a Spread.
//   - Steady: whether a series of intervals has stopped changing, by a test that has a name.
//   - BinomialTail: the chance of so many successes.
package stats
