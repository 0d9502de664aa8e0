// Package doctor examines a machine before something is measured on it or with it.
//
//  1. A Machine is read: clock, limits, processors, memory, network interfaces, disks and ports. Files of /proc and /sys
//     come from an fs.FS, so that a test can make up a machine; the rest from functions that a test can replace.
//  2. What was read is checked by pure functions: each gives a Finding with its verdict and its cure.
//  3. What is beyond the machine is checked likewise: a coordinator by what it answered (Peer), its agents by its roster
//     (Member), a target by opening it as an agent would (Reach).
//  4. Findings become a Report, which prints itself and has the worst verdict of them.
//
// An agent examines its own machine when it is asked to by an action on the target Target; see Open.
package doctor
