// Package results answers from the archive what was measured, and keeps the archive in order:
//
//  1. Find and One look suites and runs up by the ids that users give.
//  2. JSON makes the document of a suite or a run from its windows, Histograms the merged histograms of each interval. The
//     documents of ended runs are kept for a while: what they are made of does not change any more.
//  3. Export and Import take a suite to another coordinator. What is imported is checked by bounds and made into
//     results before anybody sees it.
//  4. Maintain rolls up long runs, removes what is not to be kept, and gives the disk back what was removed.
//
// It knows neither agents nor connections: the coordinator serves what it answers.
package results
