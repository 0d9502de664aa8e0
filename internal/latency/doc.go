// Package latency stores measurements, from the recording of an operation by a worker to the figures that users read.
//
//  1. Each worker records into a [Local] of its own: a small ring of samples without other writers.
//  2. A worker drains its ring, when it fills, into one of a few stripes, which collect the samples of many workers
//     in compact counts: there is no full histogram per worker.
//  3. [Recorder.CutWindow] drains all rings and returns a window, as a list of [Series]. A sample belongs to the
//     window in which its operation was done, regardless of when it was drained.
//  4. A [Histogram] is encoded ([Histogram.AppendBinary]), sent, and merged straight from its
//     encoding ([TakeHistogram], [Histogram.Merge]).
//  5. [Merged] merges the series of many windows and agents by [Key], exactly: nothing is dropped or averaged.
//     The sums of a result are [Parts], which take less CPU.
//  6. Quantiles are read once, from merged histograms ([Histogram.Quantile]), and only printed when there are enough
//     samples ([MinSamples]).
//
// Times are in nanoseconds. Buckets are those of an HdrHistogram of 3 significant digits from 1 ns to 1 h, so
// that one converts to the other without loss ([LogWriter]).
package latency
