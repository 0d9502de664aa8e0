// Package table makes the cases of a suite and the tables of its report, from its plan and its runs. It is pure.
//
//  1. The figures of each run are read off, by the names of package figure (conclude). A run that is incomplete, failed or
//     does not reconcile is in no figure of its case, and named.
//  2. Each figure gets its spread over the repeats of a case.
//  3. Tables get a row for each case, repeat or agent, as the suite asks for, with what was published beside what was
//     measured (table, published). Open and closed loops never share one (law 2).
package table
