//go:build !linux

package rawio

import "net"

// Conn returns the connection as it is: raw system calls are used only on Linux.
func Conn(c net.Conn) net.Conn { return c }
