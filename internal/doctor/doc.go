// Package doctor examines a machine before a measurement on it or with it.
//
//  1. A Machine reads clock, limits, processors, memory, network interfaces, disks and ports. Files of /proc and /sys
//     come from an fs.FS, so that a test can fake a machine; the rest comes from functions that a test can replace.
//  2. Pure functions check the values: each returns a Finding with its verdict and its cure.
//  3. Other systems are checked likewise: a coordinator by its answer (Peer), its agents by its roster (Member), a
//     target by opening it as an agent would (Reach).
//  4. Findings become a Report, which has the worst of their verdicts.
//
// An agent examines its own machine on an action on the target Target; see Open.
package doctor
