// Package latency keeps what was measured, from the instant that a worker records an operation to the figures
// that a reader sees.
//
//  1. Each worker records into a [Local] of its own: a small ring of samples that nobody else writes.
//  2. A ring that fills is drained by its worker into one of a few stripes, where the samples of many workers
//     meet in compact counts: there is no full histogram per worker.
//  3. [Recorder.CutWindow] drains all rings and takes a window out, as a list of [Series]. A sample belongs to the
//     window in which its operation was done, whenever it was drained.
//  4. A [Histogram] is encoded ([Histogram.AppendBinary]), sent, and merged straight from its
//     encoding ([TakeHistogram], [Histogram.Merge]).
//  5. [Merged] merges the series of many windows and agents by [Key], exactly: nothing is dropped or averaged.
//  6. Quantiles are read once, from what was merged ([Histogram.Quantile]), and only printed when there are
//     samples enough ([MinSamples]).
//
// Times are in nanoseconds. Buckets are those of an HdrHistogram of 3 significant digits from 1 ns to 1 h, so
// that one converts to the other without loss ([LogWriter]).
package latency
