// Package promexport exports the measurements of runs to Prometheus:
//
//  1. Histogram converts a latency histogram to a Prometheus histogram, classic and native at once, with the exact count
//     and sum;
//  2. Operations names the series of operations: their number, and their response and service times;
//  3. Runs collects the metrics of each current run, and of each ended one until they expire: each run's id is a new label
//     value, and Prometheus must not collect ever more of them.
//
// The package counts nothing itself: it shows the data that results are made from.
package promexport
