// Package bottleneck finds what limited the throughput of a phase. It is pure.
//
//  1. In an open loop whose offered rate was kept nothing limited it: the verdict is none (find).
//  2. Each load generator is tested first: its processors, scheduler, pauses and network (client).
//  3. The rules of the target's description and those of its machines (Machine) are tested on each part of the system that
//     reported their figures. A rule holds if its measure is beyond the threshold in at least half of its points, and in at
//     least three of them, so that a single peak is not a limit (rule). Shares are compared with an even share (uneven).
//  4. If several rules hold, the verdict is the first of them in the order of Limits, in which causes come before their
//     effects; the evidence has all of them.
//  5. Otherwise the limit is not determined, and the verdict lists what would have to be observed.
package bottleneck
