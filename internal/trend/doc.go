// Package trend finds the nights from which on the results of a recurring suite are others.
//
//  1. Of takes the results of suites in the order of their submission, and puts the values of each figure of each case in a row:
//     a Point for each suite with a complete run of the case. Cases in an open and in a closed loop are apart (law 2).
//  2. Each row is tested by stats.Changes. The allowed rate of false alarms is that of all rows together, so each row gets
//     its share.
//  3. A Change names the first suite after the change, the suite with which it was found, its factor with an interval, and what else
//     differs between the suites before and after it, such as a version or a setting.
//
// A trend depends on the suites alone: there is no state between two nights. It is pure.
package trend
