// Package admin administers SequoiaDB: it connects to one of several coordinators, and sends commands for collections, spaces,
// domains and snapshots. Commands are rare, so unlike operations they allocate.
package admin
