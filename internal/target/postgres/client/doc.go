// Package client connects to a PostgreSQL server, and has the statements that are not operations of a run: tables, settings, facts.
//
//  1. A Connector has what all connections of a target, an actor or a source of telemetry have in common.
//  2. Connect logs in, within a time limit. Its errors name the server, the problem and the cure.
//  3. Query executes a statement and returns its rows as texts.
//  4. DescribeTable, CreateTable and others read and change tables. A table that benchd creates has a comment with the run's id.
package client
