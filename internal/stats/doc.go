// Package stats has the statistics of results and reports. It is pure, and imports no other package of benchd.
//
//   - Repeats, Percentiles: a figure over the repeats of a case, as a Spread.
//   - MedianOf: an interval of the median that assumes no distribution. Odd: the values far from the others.
//   - MeanOfSeries, DriftOfSeries: the mean and the drift of the series of one run, with intervals that allow for windows
//     that depend on those before them; or that the series is too short.
//   - RatioOf: the factor between two samples, as a Shift.
//   - Changes: the points at which a series of independent values has changed its level, as Change, by a sequential test.
//   - Steady: whether a series of intervals has stopped changing, by a named test.
//   - FitScalability, FindPlateau: the course of a throughput over the concurrency, with the rule by which it is one.
//   - BinomialTail: the probability of a number of successes.
package stats
