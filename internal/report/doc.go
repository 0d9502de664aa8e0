// Package report writes results in the forms in which they are read.
//
//  1. Table and SuiteTable are for people at a terminal: a phase after the other, the figures aligned, and
//     below them what speaks for the figures and against them.
//  2. JSON is for scripts; its fields are a contract of package result. It is passed on as the coordinator gave it.
//  3. YCSB is for scripts that were made for YCSB: its lines, word for word, from the series that package
//     result has combined for it. Status is one of YCSB's status lines.
//  4. A Book is a report as chapters of texts and tables without a form; SuiteBook and RunBook make one, Markdown writes
//     it. TablesCSV and CasesCSV have a suite's tables and cases for spreadsheets.
//  5. OperationsCSV and SeriesCSV are for spreadsheets, Logs and YCSBLogs for the tools of HdrHistogram;
//     PointsCSV and YCSBPoints write single operations.
//  6. Formats is the list of the forms that reports are written in; a Writer writes them to Files, which appear together
//     or not at all.
//
// Nothing but the logs needs histograms here. What a result does not have, because there were too few
// samples for it, is not printed.
package report
