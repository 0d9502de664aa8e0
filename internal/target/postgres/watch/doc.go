// Package watch reads the figures of a PostgreSQL server during a run, and notices its checkpoints, vacuums and restarts.
//
//  1. A look is one statement, which returns the server's own views (pg_stat_database, pg_stat_user_tables, pg_stat_bgwriter,
//     pg_stat_checkpointer, pg_stat_wal) as one JSON document: whichever views and columns the version has.
//  2. The table of figures names the columns. Counters become rates in package observe.
//  3. Events are differences between two looks.
package watch
