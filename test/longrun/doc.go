// Package longrun makes an archive with a long run, for tests of reports and of their speed. A coordinator serves the archive like
// one of its own:
//
//  1. Make stores a suite of one run, the length of which a test chooses; a report must stay quick for Hours of it.
//  2. Its windows are those of 6 agents that execute 5 operations in an open loop. An action and a fault of the target leave dips
//     in the throughput.
//  3. Its telemetry has 40 series, with a point for each second.
//  4. MakeSize stores runs of other sizes, such as Hundred hours and a Fleet of 1000 agents, for tests of charts. One archive may have all of them.
//
// The runs are always the same. A coordinator computes what it keeps of a long run at the first request for it, or in the minute after its
// start: a test that measures it waits for the files below computed/ first.
package longrun
