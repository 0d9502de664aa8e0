// Package draw makes the charts of results, and the tables of every interval, in the model of package book. It is pure: results
// and merged histograms in, charts out. Writers of formats draw them.
//
//  1. A result document has no histograms. A caller that can read them, interval by interval, adds them to a Histograms for
//     each run: one pass is enough for the heat maps, the percentile curves and the percentiles over time. Without them, the
//     charts are made of the percentiles in the document, and say so.
//  2. Run makes the charts of a run. A timeline lays its phases on one axis of seconds, and collects the marks: actions,
//     events, dips and phases. All charts over time of a run have it in common (book.Chart.Group).
//  3. Telemetry has a chart for each figure, and in it a series for each server. The most useful figures come first.
//  4. Intervals makes the tables with the figures of every interval, for formats that calculate.
//  5. The charts of suites compare cases, runs and targets.
//
// A chart without values is not made. Nothing is averaged that must not be: percentiles come from merged histograms, or from
// the document.
package draw
