// Package postgres is PostgreSQL as a target.
//
//  1. Open logs in once, so that a mistake is reported before anything is measured. Prepare creates or checks the table.
//  2. Each session has a connection of its own, which pgx's pgconn opens. It then speaks the wire protocol itself, with pgx's messages
//     (pgproto3): an operation is one Bind, Execute and Sync of a prepared statement, and allocates nothing.
//  3. Statements are those of YCSB's jdbc binding, or for documents those of its postgrenosql binding where these read what they are asked
//     for. They are prepared when the session opens, as far as the workload needs them.
//  4. An operation is sent once. If its connection breaks, it fails; the next one waits for a new connection. Attempts to connect that fail
//     are counted as retries.
package postgres
