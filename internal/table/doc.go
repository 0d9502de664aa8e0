// Package table computes the cases of a suite and the tables of its report, from its plan and its runs. It is pure.
//
//  1. It reads the figures of each run, by the names of package figure (conclude). A run that is incomplete, failed or
//     does not reconcile is named, and excluded from the figures of its case.
//  2. Each figure gets its spread over the repeats of a case.
//  3. Tables get a row for each case, repeat or agent, as the suite requests, with published beside measured figures
//     (table, published). Open and closed loops never share a table (law 2).
package table
