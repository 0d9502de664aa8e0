//go:build !linux

package postgres

import "syscall"

// limitSilence does nothing where there is no such option: keepalives find a server that has vanished.
func limitSilence(string, string, syscall.RawConn) error { return nil }
