// Package promexport shows Prometheus what runs measure, as they measured it:
//
//  1. Histogram turns one of ours into one of Prometheus's, classic and native at once, with our exact count and sum;
//  2. Operations names the series of operations: how many, and how long they took by either clock;
//  3. Runs collects the metrics of each run that goes on, and of each that has ended until they expire: a label with a run's
//     id is a series for ever, so it must not stay for ever.
//
// Nothing is counted here: what is shown is what results are made from.
package promexport
