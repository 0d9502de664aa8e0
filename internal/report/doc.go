// Package report writes results in all output formats.
//
//  1. Table and SuiteTable are for people at a terminal: one phase after the other, the figures aligned, and below
//     them the verdicts.
//  2. JSON is for scripts; its fields are a contract of package result. It is passed on as received from the
//     coordinator.
//  3. YCSB is for scripts made for YCSB: its lines, word for word, from the series that package result combines for
//     it. Status is one of YCSB's status lines.
//  4. SuiteBook and RunBook make a report of package book, independent of the format; Markdown writes it. TablesCSV and
//     CasesCSV write a suite's tables and cases for spreadsheets.
//  5. OperationsCSV and SeriesCSV are for spreadsheets, Logs and YCSBLogs for the tools of HdrHistogram;
//     PointsCSV and YCSBPoints write single operations.
//  6. JUnit is for CI servers, GitHub and Annotations for jobs of GitHub Actions; both also of comparisons.
//  7. Formats is the list of formats; a Writer writes them to Files, which appear together or not at all.
//
// Only the logs need histograms. Figures that a result lacks for want of samples are not printed.
package report
