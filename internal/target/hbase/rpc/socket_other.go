//go:build !linux

package rpc

import "net"

// rawSocket returns an ordinary connection: raw system calls are used only on Linux.
func rawSocket(c net.Conn, _ bool) wire { return slow{c} }
