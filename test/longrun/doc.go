// Package longrun makes an archive with a long run, for tests of reports and of their speed. A coordinator serves the archive like
// one of its own:
//
//  1. Make stores a suite of one run, the length of which a test chooses; a report must stay quick for Hours of it.
//  2. Its windows are those of 6 agents that execute 5 operations in an open loop. An action and a fault of the target leave dips
//     in the throughput.
//  3. Its telemetry has 40 series, with a point for each second.
//
// The run is always the same.
package longrun
