// Package sequoiadbtest starts a server of SequoiaDB's protocol for tests, and has a second client: SequoiaDB's own Java driver.
//
// The server is the scripted one (package scripted) as a process of its own, which tests can kill and restart: no package of
// SequoiaDB can be had. Running is a SequoiaDB that somebody else has started.
package sequoiadbtest
