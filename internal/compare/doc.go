// Package compare makes what the runs of a suite say together. It is pure.
//
//   - Conclude: the cases and tables of a suite, from its plan and its runs: the figures of each run by their names, over
//     the repeats of each case, and in tables beside what was published. A run that is incomplete, failed or does not
//     reconcile is in no figure of its case, and named.
package compare
