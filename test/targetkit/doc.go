// Package targetkit has the tests that every database passes on a real server: all workloads with a check of every value, a
// server that is killed under load, and mistakes that end with one clear error.
//
// A database's own tests start its server and call these functions with a [Database].
package targetkit

import "testing"

// Database is a running server, and how benchd connects to it.
type Database struct {
	Target string   // value of --db
	Set    []string // flags of submissions, such as "-p", "postgres.host=127.0.0.1:5432"
	Agent  []string // flags of agents, such as those that release secrets
	Fresh  []string // flags that empty the table before a load
	Table  string
	// Rows counts the table's rows by a client that is not benchd.
	Rows func(t *testing.T) int
}

// Server is the server's process.
type Server interface {
	// Kill ends the process at once, as a signal 9 does.
	Kill(t *testing.T)
	// Restart starts it again on the same files and ports, and returns when it serves.
	Restart(t *testing.T)
}
