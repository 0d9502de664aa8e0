// Package postgres is an archive in a PostgreSQL database, for several coordinators of which one leads; docs/archive-postgres.md documents it for
// plain SQL.
//
//  1. Open connects, and migrates the schema. The migrations are SQL files; two coordinators that start together apply each once.
//  2. Lead makes an archive writable: every write is one transaction that first reads the lease's term, so that a coordinator that has been
//     replaced stores nothing. Writers queue for one connection, as in package sqlite. If the answer to a commit is lost, the transaction's
//     number in table written shows later what became of it.
//  3. AddWindows stores a batch in three round trips. Windows and what belongs to them are in partitions by the week of their suite's
//     submission, which are dropped when the last suite of the week is removed.
//  4. Readers have connections of their own and see one snapshot; Windows reads chunks, each in one round trip.
//
// The SQL is conservative, for distributed servers that speak PostgreSQL's protocol: it has no advisory locks, triggers and extensions. A
// server without partitions gets plain tables.
package postgres
