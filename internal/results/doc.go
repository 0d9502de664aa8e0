// Package results provides the results in the archive, and maintains the archive:
//
//  1. Find and One look up suites and runs by the ids that users enter.
//  2. JSON makes the document of a suite or a run from its windows, Histograms the merged histograms of each interval. The
//     documents of ended runs are cached: their input no longer changes. Those of runs that are not short are also kept in files, or in an
//     archive that several coordinators share; of long runs also histograms in the columns of charts, and as logs contain them.
//  3. Export and Import transfer a suite to another coordinator. An imported suite is checked against bounds and made
//     into results before it becomes visible.
//  4. Maintain rolls up long runs, computes what is kept of ended ones and is missing, removes suites by the retention policy, and returns their space to the disk.
//
// It uses neither agents nor connections: the coordinator serves its answers.
package results
