package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// Info is the system information of a server.
type Info struct {
	Version string // such as 6.0.0; empty if it does not report one
	SCRAM   bool   // users authenticate by SCRAM-SHA-256; otherwise by the MD5 of the password
}

// ErrNotSequoiaDB is the kind of errors of a port on which something else answers.
var ErrNotSequoiaDB = errors.New("it is not a port of SequoiaDB's native protocol")

// ports is the cure for a wrong port.
const ports = "want the service port of a coordinator, by default 11810; the ports after it serve other protocols (REST is +4, the MongoDB-compatible one +7)"

// exchange sends the client's system information and reads the server's. The ports of a node are open before it can serve: its
// answer shows that it can.
func (c *Conn) exchange() error {
	var hello [12]byte
	binary.LittleEndian.PutUint32(hello[0:], sysInfoLength)
	binary.LittleEndian.PutUint32(hello[4:], eyeCatcher)
	binary.LittleEndian.PutUint32(hello[8:], uint32(len(hello)))
	if _, err := c.conn.Write(hello[:]); err != nil {
		return fmt.Errorf("greet %s: %w", c.addr, err)
	}
	answer := make([]byte, sysInfoSize)
	n, err := io.ReadAtLeast(c.conn, answer, len(hello))
	if err != nil {
		return c.stranger(answer[:n], err)
	}
	if flaw := checkInfo(answer); flaw != nil {
		if bytes.HasPrefix(answer, []byte("HTTP/")) {
			flaw = errors.New("a server of HTTP answered")
		}
		return fmt.Errorf("greet %s: %w: %w; %s", c.addr, flaw, ErrNotSequoiaDB, ports)
	}
	if _, err := io.ReadFull(c.conn, answer[n:]); err != nil {
		return c.stranger(answer, err)
	}
	c.Info = parseInfo(answer)
	return nil
}

// stranger explains why there is no system information.
func (c *Conn) stranger(got []byte, err error) error {
	switch {
	case bytes.HasPrefix(got, []byte("HTTP/")):
		return fmt.Errorf("greet %s: a server of HTTP answered: %w; %s", c.addr, ErrNotSequoiaDB, ports)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("greet %s: no system information within the time limit: the node is still starting, or %w; %s", c.addr, ErrNotSequoiaDB, ports)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("greet %s: it closed the connection: the node is stopping, or %w; %s", c.addr, ErrNotSequoiaDB, ports)
	default:
		return fmt.Errorf("greet %s: %w", c.addr, err)
	}
}

// checkInfo checks the words with which system information begins.
func checkInfo(b []byte) error {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	switch {
	case word(0) != sysInfoLength:
		return errors.New("it answered something else than system information")
	case word(4) == eyeCatcherBack:
		return errors.New("its numbers are big-endian, which is not supported: connect to a coordinator on x86 or ARM")
	case word(4) != eyeCatcher || word(8) != sysInfoSize:
		return errors.New("it answered something else than system information")
	}
	return nil
}

func parseInfo(b []byte) Info {
	var i Info
	i.SCRAM = binary.LittleEndian.Uint32(b[16:]) == 1
	if v := b[28:31]; v[0] != 0 {
		i.Version = fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
	}
	return i
}
