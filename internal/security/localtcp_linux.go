package security

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// LocalPeer returns the peer of a TCP connection on this machine, from the system's table of connections: the user of this process or root.
// own and remote are the addresses of the connection as this process sees them. The connection must be open.
func LocalPeer(own, remote string) (Local, error) {
	ours, err := netip.ParseAddrPort(own)
	if err != nil {
		return Local{}, fmt.Errorf("identify a local peer: %w", err)
	}
	theirs, err := netip.ParseAddrPort(remote)
	if err != nil {
		return Local{}, fmt.Errorf("identify a local peer: %w", err)
	}
	if !theirs.Addr().IsLoopback() {
		return Local{}, fmt.Errorf("identify a local peer: %s is not on this machine", theirs.Addr())
	}
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		content, err := os.ReadFile(table)
		if err != nil {
			continue // a kernel without that protocol
		}
		uid, found := owner(content, theirs, ours)
		if !found {
			continue
		}
		if !(localCredentials{own: ownUID()}).accepts(uid) {
			return Local{}, fmt.Errorf("identify a local peer: %s is not the user of this process", userName(uid))
		}
		return Local{UID: uid, User: userName(uid)}, nil
	}
	return Local{}, errors.New("identify a local peer: the system does not list its connection")
}

// established is the state of an open connection. In other states the kernel has lost the user of a connection, and writes 0.
const established = "01"

// owner returns the user of a connection in a table of the kernel.
func owner(table []byte, local, remote netip.AddrPort) (uid uint32, found bool) {
	for lines := bufio.NewScanner(bytes.NewReader(table)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 8 || fields[3] != established || !same(fields[1], local) || !same(fields[2], remote) {
			continue
		}
		n, err := strconv.ParseUint(fields[7], 10, 32)
		return uint32(n), err == nil
	}
	return 0, false
}

// same reports whether a table's address, in hexadecimal words of the machine's byte order, is that of a connection.
func same(text string, want netip.AddrPort) bool {
	address, port, _ := strings.Cut(text, ":")
	number, err := strconv.ParseUint(port, 16, 16)
	if err != nil || number != uint64(want.Port()) {
		return false
	}
	raw, err := hex.DecodeString(address)
	if err != nil || len(raw)%4 != 0 {
		return false
	}
	for word := range slices.Chunk(raw, 4) {
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	got, ok := netip.AddrFromSlice(raw)
	return ok && got.Unmap() == want.Addr().Unmap()
}
