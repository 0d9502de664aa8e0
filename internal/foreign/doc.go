// Package foreign reads results that another program measured: YCSB's output, and HdrHistogram logs. It is pure.
//
//  1. FormatOf recognizes the format of a file from its content.
//  2. Each file is read into a sheet for each phase: its run time and throughput, and a measure for each operation (text, exporter,
//     log). Lines of other programs in between are skipped; a line that has the form of a result and a wrong value is an error that
//     names it.
//  3. Status lines and the intervals of logs become a series (status, log).
//  4. Read puts the sheets of all files of a run together and makes a result.Run of them, which has what the files contain and
//     nothing else: a percentile that no file has is null, as is one of too few samples (law 6); what is unknown is marked so
//     (build).
//  5. Check validates such a result from an archive, where anything can be in its place.
//
// Every input is hostile: sizes, names and numbers are bounded before they are used.
package foreign
