// Package relay checks the latencies that benchd reports, by a relay between its clients and HBase that notes when requests and
// answers pass:
//
//  1. Start listens at an address of this machine and forwards to the servers on 127.0.0.1. It writes its own address over theirs
//     in the answers of ZooKeeper and hbase:meta, so that a client reaches every server through it.
//  2. A request is noted with the kernel's time, at which its last byte arrived at the relay; how soon the relay wakes up does not
//     matter. An answer is noted just before the relay sends it. The time between them is spent outside of the client.
//  3. A client needs more time: it sends and wakes up, and its library encodes and decodes. Command app measures the same reads in a
//     program without benchd, through the same relay. The part of a reported latency that neither the relay nor this program
//     explains is benchd's error.
//  4. Check checks the median of this part over several rounds.
package relay
