// Package agent is the body of benchd's agent: it puts targets under load as a coordinator wants it.
//
//  1. Run opens a stream to the coordinator and introduces the agent. When the stream breaks it opens another,
//     again and again with growing pauses, and reports what it still holds.
//  2. One goroutine receives: probes are answered before all else; an order to prepare makes a shard, whose
//     runner (package load) does the work.
//  3. What a runner finds goes to disk (package spool), and then to the stream. Windows are kept until they are
//     acknowledged, and are sent again on a new stream; those of a process that was killed are delivered by the next
//     one of its name, which has their shards as heirs: with nothing else of them.
//  4. Without a coordinator the work goes on until the orphan timeout: nobody must hammer a cluster that no one
//     can cancel.
//  5. When it is to end, the agent stops its workers, sends what they found, says farewell and closes.
package agent
