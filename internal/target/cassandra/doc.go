// Package cassandra is the load.Driver of Apache Cassandra, on the Go driver of the Cassandra project:
//
//  1. Open connects (package cluster). Prepare, on one agent, creates YCSB's keyspace and table or checks those that exist (package
//     setup). So mistakes are reported by name within seconds, before anything is measured.
//  2. Each worker has a session with statements of its own, prepared by the driver at their first use and kept from then on. Keys and
//     values go to the driver, and come from it, through cells, without a conversion and without an allocation of ours.
//  3. The driver sends an operation to a replica of its key, once: nothing is retried, and no second node is asked in the meantime.
//  4. A scan is by token, as in YCSB's binding: it returns rows in the order of the hashes of their keys, not of the keys.
//  5. A batch of rows is sent as unlogged batches, each below the limit of the server.
package cassandra
