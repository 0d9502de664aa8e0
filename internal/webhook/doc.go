// Package webhook delivers notices of a coordinator to the receivers that its operator has configured, by HTTP:
//
//  1. A File has the hooks, and is read again when it changes. A broken file leaves the former hooks in use.
//  2. Outbox.Announce keeps an occasion on the disk before the coordinator archives it, and returns at once.
//  3. When it is archived, one goroutine makes its notice, and a delivery on the disk for each hook that wants it.
//  4. Each hook has a queue and a goroutine of its own, so that a dead receiver delays no other. It sends one delivery after the
//     other: signed, without redirects, in bounded time, and again with growing pauses until the receiver has accepted or refused it.
//  5. A process that dies leaves its occasions and deliveries to the next one. So a receiver gets a notice at least once.
//
// Queues are bounded by length and age. What is dropped is counted and logged. Secrets, and with them the URLs, which contain
// the secret of many receivers, are in no log, error, metric or answer.
package webhook
