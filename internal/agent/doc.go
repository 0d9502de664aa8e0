// Package agent is the agent of benchd: it puts targets under load on the orders of a coordinator.
//
//  1. Run opens a stream to the coordinator and sends a Hello. When the stream breaks it opens another, with growing
//     pauses between attempts, and lists the shards that it holds.
//  2. One goroutine receives: probes are answered first; an order to prepare creates a shard, whose runner (package load)
//     does the work.
//  3. The windows of a runner go to disk (package spool), and then to the stream. They are kept until they are
//     acknowledged, and are sent again on a new stream. Those of a killed process are delivered by the next process of the
//     same name, as an heir of the shards, of which only the windows are left.
//  4. Without a coordinator the work goes on until the orphan timeout: load that cannot be cancelled must end.
//  5. To end, the agent stops its workers, sends their last windows, signs off and closes.
package agent
