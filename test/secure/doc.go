// Package secure tests benchd against a secured real HBase as users run it: coordinator, agents, command lines and servers,
// each in its own process. Its tests are behind the tag `secure`: make test-hbase-secure.
//
//  1. scripts/hbase up --secure starts a cluster when a test first needs it: one of three region servers that accepts TLS alone, and one
//     of as many with Kerberos, whose client's tickets expire after some seconds. They end with the last test.
//  2. A mode is a way to connect to one. In each, every kind of work is done: load, workloads A and E with their values
//     verified, all actions, telemetry.
//  3. Mistakes are made on real command lines: each must be one clear error within 10 s that names the cure.
//  4. HBase's own Java client counts the cells that were loaded.
//  5. Two agents work while their tickets expire and their connections break. TICKETS=15m makes this run longer.
//  6. Keys and tickets are searched for in all that is stored and printed.
package secure
